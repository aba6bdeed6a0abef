package capability

// nouns lists what verbs are done to. "+" joins the words of a pair.
var nouns = map[kind]string{
	shell: "shell bash zsh sh powershell pwsh terminal command commands cmd cmds subprocess ssh cli commandline command+line shell+command " +
		"befehl befehle kommando kommandos kommandozeile eingabeaufforderung comando comandos commande commandes opdracht polecenie polecenia команда команду команды команд komut komutu kommandot 命令 终端 コマンド シェル 명령 명령어 셸",
	strongSell:  "shell bash zsh powershell pwsh terminal command+line shell+command shell+commands",
	session:     "shell bash powershell ssh terminal+process terminal+session terminal+window command+prompt",
	dbObject:    "table tables database databases db schema schemas collection collections column columns index indexes keyspace namespace view views user role all trigger constraint partition",
	request:     "http+request http+requests get+request post+request http+get http+post http+put http+fetch http+call http+client",
	commandLine: "command+line commandline shell+command shell+commands bash+command shell+script terminal+command cli+command",
	call:        "phone+call phone+calls voice+call call+phone",
	principal:   "user users account accounts member members employee customer",
	queryWord:   "query queries",
	program: "code python javascript js typescript ts snippet snippets script scripts program programs executable binary notebook java+script lua ruby php wasm bytecode " +
		"skript skripte programm quelltext código codice kod kodu код скрипт script+code 代码 脚本 コード スクリプト 코드 스크립트",
	sqlNoun: "stmt stmts sql cypher soql kql gql sparql mysql+query sql+query sql+statement database+query database+queries cql hql tsql plsql dql " +
		"leseabfrage",
	database: "database databases db dbs postgres postgresql mysql mariadb sqlite mongodb redis oracle mssql warehouse bigquery snowflake mart " +
		"datenbank datenbanken datos données dati базу база 数据库 データベース 데이터베이스 veritabanı",
	keeper: "vault vaults keychain keyring keystore tresor coffre-fort coffre bóveda cassaforte kluis sejf",
	secret: "dotenv env+file env+files secret secrets password passwords passwd passphrase pwd credential credentials creds apikey api+key api+keys access+key access+keys private+key private+keys " +
		"ssh+key ssh+keys signing+key signing+keys encryption+key secret+key secret+keys access+token access+tokens api+token api+tokens auth+token refresh+token refresh+tokens bearer+token session+token " +
		"session+cookie session+cookies env+var env+vars env+variable env+variables environment+variable environment+variables environment+secrets seed+phrase recovery+code recovery+codes recovery+phrase mnemonic " +
		"totp otp one+time+password pin+code private+keypair sec+value sec+values service+account+key client+secret client+secrets database+password " +
		"passwort passwörter kennwort kennwörter geheimnis geheimnisse geheimnisses zugangsdaten api+schlüssel anmeldedaten " +
		"clave+de claves+de chave+de contraseña contraseñas secreto secretos credenciales clave+privada de+passe secrets+du identifiants senha senhas segredo segredos credenciais segreto segreti credenziali wachtwoord wachtwoorden geheim geheimen " +
		"hasło hasła haseł sekret sekrety пароль пароли паролей секрет секреты ключ+api lösenord lösenordet hemlighet şifre şifreyi parolayı gizli+anahtar 密码 密钥 口令 凭据 凭证 秘密 パスワード シークレット 資格情報 秘密鍵 비밀번호 시크릿 자격 كلمة+المرور पासवर्ड",
	address: "web+address url urls uri uris link links href hyperlink webpage webpages web+page web+pages website websites web+site endpoint webhook http https address+on+the+internet site sites u " +
		"webseite webseiten seite seiten internetadresse netz página páginas sitio enlace page+web pages+web lien sito pagina pagina's strona stronę strony адрес страницу страница ссылку ссылка sayfa sayfayı sida sidan webbsida 网页 网址 链接 ページ ウェブページ 페이지 웹페이지",
	web:     "web internet online news google bing worldwide websearch websuche netz 网络 互联网 ウェブ 웹 интернет интернете",
	file:    "file files folder folders directory directories filesystem file+system path workspace disk document+file datei dateien ordner verzeichnis verzeichnisse fichero ficheros archivo archivos carpeta fichier fichiers dossier dossiers arquivo arquivos pasta file+di cartella bestand bestanden map+pen plik pliki pliku katalog файл файлы файла файле папку dosya dosyaya dosyayı fil filen filer 文件 目录 ファイル フォルダ 파일 폴더",
	money:   "money payment payments funds fund price invoice invoices refund refunds payout payouts coin coins crypto cryptocurrency wallet wallets btc eth usdc card+payment bank+transfer bank+account subscription+payment balance+transfer donation tokens+from charge charges charge+the+card paymentintent payment+intent purchase purchases dollars euros geld geldbetrag betrag zahlung guthaben dinero pago argent paiement dinheiro pagamento denaro soldi pagamento geldbedrag betaling pieniądze płatność przelew деньги платёж платеж parayı ödeme pengar betalning 付款 资金 钱 支付 お金 送金 支払い 돈 결제 송금",
	priced:  "hotel flight flights trip ticket tickets fare car taxi ride order orders trade trades stock stocks shares+of goods cart basket purchases cruise train rental",
	account: "payee beneficiary iban wallet creditor recipient+account",
	right: "mfa 2fa two+factor firewall sso antivirus permission permissions perms perm role roles access+right access+rights rights privilege privileges acl acls iam policy+binding access+rule access+rules access+control access+level admin administrator administrators ownership collaborator collaborators member+role access+to access+policy " +
		"firewall+rule security+group iam+policy iam+role bucket+policy sudoers " +
		"rechte berechtigung berechtigungen rolle rollen zugriff zugriffsrechte administratorrechte administratorrechten permiso permisos permisson droits droit+d permission+s rôle rôles permissões permissão permessi permesso ruolo rechten machtigingen uprawnienia uprawnień права прав роль роли izin izinleri yetki yetkileri behörighet behörigheter 权限 角色 権限 ロール 권한 역할",
	everybody: "everybody everyone anyone anybody public publicly world+readable all+users jedermann öffentlich público publico tout+le+monde publique pubblico openbaar 公开 公開 모두",
	screen: "browser tab tabs button buttons element elements selector page pages form forms dropdown checkbox mouse keyboard cursor screen desktop window dom viewport dialog webview simulator emulator app+ui " +
		"formular formulare schaltfläche navegador navigateur browser+tab navegador+web przeglądarka przeglądarkę браузер браузера браузером tarayıcı tarayıcıyı webbläsare webbläsaren 浏览器 ブラウザ 브라우저 brw",
	device: "bell printer printers rover feeder vacuum lift elevator siren kettle coffee+machine lamp lamps light lights bulb thermostat heater heating valve pump relay motor robot door doors gate garage blind blinds shutter fan oven plug outlet sprinkler alarm vehicle drone actuator servo conveyor camera+shutter smart+home smartlock door+lock air+conditioner boiler engine+block crane gpio " +
		"volets volet persianas persiane garaje rolladen lampe licht heizung ventil pumpe relais tür türen haustür tor garagentor schloss rollladen gerät luz puerta termostato cerradura lumière porte lampada luce porta lamp+pen deur verwarming światło drzwi свет лампу дверь замок ışık ışığı kapı kapıyı ljus dörr dörren 灯 门 门锁 空调 ライト ドア 鍵 照明 조명 문 도어락",
	message: "slack discord telegram whatsapp teams twitter facebook linkedin reddit mastodon bluesky instagram channel channels feed thread status wall forum blog email emails mail mails message messages sms notification notifications tweet newsletter dm chat+message slack+message msg msgs letter " +
		"nachricht nachrichten mensaje mensajes courriel messaggio messaggi mensagem mensagens bericht wiadomość сообщение письмо mesaj meddelande 邮件 消息 短信 メール メッセージ 메시지 이메일",
	data:  "file files record records rec recs row rows user users account accounts table tables database databases entry entries branch branches repository repositories repo repos project projects issue issues page pages document documents item items object objects member members event events entity entities relation relations observation observations node nodes comment comments label labels task tasks product products customer customers column columns index indexes collection collections memory memories note notes contact contacts folder folders directory directories resource resources bucket buckets key keys history email emails message messages trash bin data domain instance instances cluster pod pods namespace volume image images container containers subscription webhook device devices group groups team teams queue topic schedule cache workspace snapshot backup secret secrets invoice customer+data schema database+table binding bindings block blocks channel channels list+item todo todos reaction binding rule rules property properties",
	anyOf: "any arbitrary raw beliebig beliebige beliebigen beliebiger beliebiges irgendein irgendeinen jede jeden jedes jeglich cualquier cualquiera arbitrario arbitraria quelconque arbitraire n'importe qualquer quaisquer arbitrária qualsiasi qualunque arbitrari willekeurige elke eender dowolne dowolny dowolną любой любую любые произвольный произвольные произвольную herhangi rastgele godtyckliga valfri valfritt 任意 任何 任意の 임의 임의의 모든",
	allOf: "all everything entire whole permanently permanent irreversible irreversibly irrevocably irrevocable irretrievably forever unrecoverable unrecoverably irrecoverably nothing+is+kept factory hard+reset recursively cascade for+good " +
		"alle alles gesamte gesamten ganze ganzen endgültig unwiderruflich dauerhaft todo+el todos todas permanentemente définitivement irréversible tous toutes tout definitivamente permanente definitivo alle+data definitief onherroepelijk wszystkie trwale nieodwracalnie все всё навсегда безвозвратно tüm kalıcı kalıcı+olarak permanent+t alla 全部 所有 永久 彻底 すべて 完全に 永久に 모두 영구 영구적으로 모든",
	readOnly:  "select readonly read-only reporting ro selects read+only only+read select+statement lesend lesende reine leseabfrage nur+lesen lesenden solo+lectura consulta+de+solo lecture+seule lecture somente+leitura sola+lettura alleen+lezen tylko+do+odczytu только+чтение чтения чтение salt+okunur skrivskyddad 只读 読み取り専用 読み取り 읽기 읽기전용",
	ddl:       "ddl dml",
	matter:    "ticket tickets case cases incident incidents issue issues pull+request merge+request discussion discussions dispute",
	decrypted: "decrypted decryption decoded cleartext unmasked entschlüsselt klartext",
	modifySQL: "insert delete drop alter truncate upsert ddl dml merge+into",
	number:    "number numbers integer integers vector vectors matrix sum value values digit digits two+numbers",
}

// compoundHeads are the last parts that German, Dutch and Scandinavian compounds
// are read by.
var compoundHeads = map[string]kind{
	"rechte": right, "rechten": right, "zugriff": right, "berechtigungen": right, "berechtigung": right,
	"passwort": secret, "passwörter": secret, "passworter": secret, "passwoerter": secret, "kennwort": secret, "wachtwoord": secret, "zugangsdaten": secret, "schlussel": secret, "schluessel": secret,
	"datenbank": database, "database": database, "abfrage": sqlNoun, "befehl": shell, "befehle": shell, "kommando": shell, "skript": program,
	"schloss": device, "lampe": device, "leuchte": device, "heizung": device, "ventil": device, "pumpe": device, "relais": device,
	"datei": file, "dateien": file, "ordner": file, "verzeichnis": file, "seite": address, "adresse": address,
	"nachricht": message, "nachrichten": message, "zahlung": money, "uberweisung": money, "ueberweisung": money, "betrag": money, "formular": screen,
}

// functionWords are what the reading of a sentence goes by.
var functionWords = map[function]string{
	negates: "not don't doesn't didn't cannot can't won't never no without nothing neither nor isn't aren't instead rather avoid avoids unable impossible prevents prevent forbids " +
		"kein keine keinen keiner nicht nichts ohne nie niemals sin nunca ne jamais sans aucun aucune não nem sem non senza mai niet geen zonder nooit nie nigdy bez не ничего никогда без inte aldrig utan ingen ej değil asla 不 不会 没有 不能 无法 未",
	onlyWord:     "only just merely nur solo sólo seulement apenas soltanto alleen tylko только",
	joins:        "and or then plus und oder dann sowie y o e et ou puis en of+het of i lub и или ve veya och eller",
	adverb:       "also optionally automatically safely simply directly first immediately quickly currently either both actively programmatically asynchronously efficiently securely physically manually intelligently bulk batch",
	subject:      "tool it function utility api service server action operation endpoint method step",
	modal:        "can will may could might lets let helps help able allows allow enables enable supports support",
	purpose:      "use used uses allows allow enables enable lets able ability helps designed way intended possible useful required need",
	to:           "to",
	subordinates: "if when whenever before after once unless until while because since as how whether",
	relative:     "that which who",
	being:        "is are be being gets get wird werden",
	instrument:   "using via with requires require requiring needs through by mit avec con com met z с ile med",
	contrasts:    "but however",
	person:       "you user users people they we customers members",
	gerundLead:   "for by supports supporting handles handling allows enables of includes including",
}
