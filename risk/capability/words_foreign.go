package capability

// foreignVerbs lists the forms of verbs in other languages that tool definitions
// use: third person, infinitive and, where the two differ, the participle that
// ends a German clause. A word that is an English one with another meaning is
// left out.
var foreignVerbs = map[sense]string{
	deletes: "löscht löschen gelöscht vernichtet vernichten zerstört zerstören leert leeren " +
		"elimina eliminar elimine borra borrar suprime suprimir supprime supprimer efface effacer exclui excluir apaga apagar deleta deletar cancella cancellare eliminare verwijdert verwijderen wist wissen " +
		"usuwa usuń usunąć kasuje skasuj удаляет удалить удаление стирает стереть siler silmek sil raderar radera raderas видаляє видалити 删除 刪除 清空 销毁 削除 消去 破棄 삭제 제거 يحذف حذف हटाता हटाएं xóa poistaa smaže smazat",
	removes: "cleans entfernt entfernen remueve retire retirer rimuove rimuovere remover ",
	changes: "upd ins crt erstellt erstellen anlegen angelegt ändert ändern verändert verändern bearbeitet bearbeiten aktualisiert aktualisieren hochladen verschiebt verschieben umbenennen veröffentlicht veröffentlichen fügt hinzufügen ersetzt installiert konfiguriert deaktiviert aktiviert startet stoppt " +
		"crea crear actualiza actualizar modifica modificar añade añadir cambia cambiar sube subir publica publicar créer crée modifie ajoute ajouter publie publier renomme déplace cria criar atualiza atualizar altera alterar adiciona adicionar creare aggiorna aggiornare modificare aggiunge aggiungere pubblica sposta " +
		"maakt maken wijzigt wijzigen bewerkt voegt toevoegen plaatst tworzy utwórz utworzyć zmienia zmień aktualizuje dodaje dodaj создаёт создает создать изменяет изменить обновляет обновить добавляет добавить публикует oluşturur oluştur günceller güncelle değiştirir ekler skapar skapa ändrar ändra uppdaterar uppdatera lägger " +
		"创建 新建 更新 修改 添加 发布 编辑 作成 更新する 変更 追加 編集 公開する 생성 업데이트 수정 추가 변경 ينشئ يحدث बनाता",
	changes | writes: "schreibt schreiben geschrieben speichert speichern gespeichert escribe escribir guarda guardar écrit écrire enregistre enregistrer escreve escrever salva salvar grava gravar scrive scrivere salvare schrijft schrijven opslaan zapisuje zapisz zapisać записывает записать сохраняет сохранить yazar yaz kaydeder kaydet skriver skriva sparar spara " +
		"写入 保存 書き込み 書き込む 저장 작성 쓰기 يكتب يحفظ wr",
	sends: "sendet senden gesendet verschickt verschicken schickt schicken versendet versenden benachrichtigt benachrichtigen weiterleiten " +
		"envía enviar manda mandar reenvía notifica notificar envoie envoyer expédie transmet transmettre notifie envia invia inviare spedisce inoltra stuurt sturen verstuurt versturen verzendt verzenden wysyła wyślij wysłać powiadamia отправляет отправить отправка посылает рассылает gönderir gönder göndermek skickar skicka sänder meddelar " +
		"发送 發送 转发 通知する 送信 送る 転送 전송 보내기 보냅니다 발송 يرسل إرسال भेजता gửi snd",
	executes: "ausführen ausgeführt ausführt ejecuta ejecutar exécute exécuter executa executar esegue eseguire uitvoeren uitvoert wykonuje wykonaj wykonać uruchamia uruchom выполняет выполнить запускает запустить çalıştırır çalıştır yürütür kör köra exekverar " +
		"执行 运行 執行 実行 실행 ينفذ تنفيذ चलाता chạy",
	runs:                 "führt führen startet starten lancer lanza lanzar avvia ",
	pays:                 "zahlt zahlen bezahlt bezahlen kauft kaufen erwirbt bestellt bestellen belastet belasten erstattet überweist überweisen paga pagar compra comprar paie achète acheter rembourse acquista acquistare pagare betaalt betalen koopt kopen płaci zapłać zapłacić kupuje kup оплачивает оплатить покупает купить переводит öder öde satın köper köpa betalar betala 支付 购买 付款 购票 转账 轉帳 汇款 振込 송금 이체 支払う 支払い 購入 決済 결제 구매 지불 يدفع يشتري",
	transfers:            "transfiere transferir transfère transférer virement trasferisce trasferire overmaken przelewa przelej перевести перевод transferi havale överför överföra 送金 يحول",
	reserves:             "bucht buchen reserva reservar réserve réserver prenota prenotare boekt boeken rezerwuje бронирует rezerve bokar 预订 预定 予約 예약",
	grants:               "vergibt vergeben gewährt gewähren erteilt erteilen entzieht entziehen otorga otorgar concede conceder revoca revocar accorde accorder octroie attribue attribuer révoque concedere assegna assegnare verleent verlenen toekennen nadaje nadaj przyznaje odbiera предоставляет предоставить выдаёт выдает назначает tilldelar tilldela beviljar 授予 授权 赋予 撤销权限 付与 許可を与える 부여 يمنح",
	sets | makes | turns: "donne donner asignar assegnare geeft geven gibt geben ger chg setzt setzen stellt einstellen regelt regeln schaltet schalten vergibt ändert teilt freigeben establece cambia asigna définit changer define altera imposta cambiare wijzigt instelt ustawia zmienia устанавливает меняет изменяет ayarlar değiştirir ställer sätter ändrar 设置 更改 修改 設定 変更 설정 변경",
	turns:                "öffnet öffnen schließt schließen abre abrir cierra cerrar ouvre ouvrir ferme fermer apre aprire chiude chiudere fecha fechar opent sluit otwiera zamyka открывает открыть закрывает закрыть açar kapatır öppnar stänger",
	shares:               "freigeben freigibt teilt teilen comparte compartir partage partager compartilha compartilhar condivide condividere deelt delen udostępnia udostępnij делится paylaşır delar dela 分享 共享 共有 공유 يشارك",
	clicks:               "klickt klicken anklicken tippt füllt ausfüllen navigiert scrollt clique cliquer remplit pulsa pulsar rellena preenche clica clicar klikt klikken vult klika kliknij wypełnia нажимает нажать кликает заполняет tıklar tıkla doldurur klickar klicka fyller 点击 填写 点选 クリック 入力 클릭 입력 ينقر",
	changes | types:      "steuert steuern steuerung controla controlar contrôle piloter pilote controlla comandare bestuurt steruje управляет управлять styr styra 控制 操作 制御 操作する 제어 조작 ctl",
	actuates:             "entriegelt entriegeln verriegelt verriegeln schaltet schalten aufschließen desbloquea desbloquear enciende allume éteint déverrouille verrouille acende sblocca accende spegne ontgrendelt vergrendelt włącza wyłącza odblokowuje включает выключает отпирает kilidini tänder släcker låser 打开 关闭 开锁 解锁 点灯 消灯 解錠 施錠 켜기 끄기 잠금 점등",
	fetches:              "abrufen ruft lädt laden holt herunterladen besucht descarga descargar obtiene obtener récupère récupérer télécharge télécharger baixa baixar obtém scarica scaricare recupera recuperare haalt ophalen downloadt pobiera pobierz загружает загрузить скачивает получает запрашивает getirir indirir hämtar hämta laddar 抓取 获取 下载 取得 ダウンロード 가져오기 가져옵니다 다운로드 يجلب",
	reveals:              "liest lesen auslesen ausgelesen zeigt zeigen liefert liefern holt abrufen ausgeben entschlüsselt lee leer muestra mostrar devuelve devolver revela obtiene lire affiche afficher renvoie renvoyer révèle récupère lê mostra retorna devolve revela exibe legge leggere mostrare restituisce rivela leest lezen toont tonen odczytuje odczytaj pokazuje zwraca wyświetla ujawnia читает прочитать показывает показать возвращает вернуть раскрывает okur oku gösterir göster döndürür läser läsa visar returnerar 读取 显示 返回 查看 获取 読み取る 読み出す 表示 返す 取得 읽기 표시 반환 조회 يقرأ يعرض",
	finds:                "sucht suchen durchsucht durchsuchen busca buscar cherche chercher recherche rechercher pesquisa pesquisar procura cercare zoekt zoeken szuka szukaj wyszukuje ищет искать поиск arar ara söker söka 搜索 查找 检索 検索 探す 검색 يبحث srch",
	computes:             "berechnet berechnen rechnet wandelt sortiert kodiert calcula calcular calcule calculer calcola calcolare berekent oblicza вычисляет считает hesaplar beräknar 计算 计数 転換 計算 계산 يحسب",
}
