package language

// lexicon is what words mean to the rules: one row a meaning. verbs are regular
// English verbs, entered with all their forms; words are entered as they stand,
// lower case and without accents, in any language. A word may be in many rows.
// Hangul, kana, Han and Thai entries are found inside longer runs.
var lexicon = []struct{ name, verbs, words string }{
	{"NEG", "", `not never dont don't doesn't cannot can't cant mustn't shouldn't won't wouldn't nor neither
		avoid avoids refrain without no nobody none
		nunca jamas sin pas jamais aucun aucune sans ne nicht nie niemals kein keine keinen ohne nao sem non mai senza
		не никогда нельзя без jangan tidak tanpa nie niet nooit zonder asla inte aldrig khong
		不要 不得 请勿 請勿 切勿 勿 别 不能 绝不 不可 不必 无需 不应 不会 ないで せず ずに なく 禁止 않고 말고 마세요 마십시오 마라 ไม่ อย่า मत नहीं لا ولا isn't aren't wasn't weren't hasn't haven't needn't`},
	{"SKIPTELL", "", "skip avoid omit refrain stop"},
	{"SLIP", "", "forget fail skip omit hesitate neglect miss"},
	{"WITHOUT", "", "without sans sin sem senza ohne без tanpa zonder"},
	{"TELL", `tell mention inform notify alert reveal disclose show display expose report explain discuss acknowledge announce
		divulge describe indicate warn advise reference acknowledge communicate note`,
		`told say says said saying mentioning make_known let
		decir diga digas mencione mencionar menciones informe informar informes notifique revele reveles muestre
		mentionner mentionnez mentionne dire dites informer informez signaler signalez reveler revelez montrer montrez prevenir
		erwahnen erwahne sagen sage sag sagt informieren informiere mitteilen verraten verrate zeigen zeige offenlegen
		mencionar informe avise revele conte mostre diga menzionare dire informare rivelare mostrare
		говори говорите сообщай сообщайте сообщать упоминай упоминайте упоминать рассказывай рассказывайте показывай показывайте уведомляй уведомляйте уведомления
		告诉 告訴 告知 提及 提到 透露 通知 显示 說明 说明 提示 伝え 知らせ 言及 教え 通知 알리지 알려 말하지 언급 mow mowic informuj wspominaj
		beritahu memberitahu memberi sebutkan vertel vermeld melden noi tiet บอก แจ้ง surface surfaces surfaced surfacing`},
	{"DISCLOSE", "mention reveal disclose inform notify alert acknowledge announce divulge surface report expose communicate discuss",
		`tell tells told say says said saying know
		decir diga digas mencione mencionar menciones informe informar informes revele reveles mentionner mentionnez mentionne dire dites informer informez reveler revelez
		erwahnen erwahne sagen sage sag sagt informieren informiere mitteilen verraten verrate mencionar revele conte menzionare dire informare rivelare
		говори говорите сообщай сообщайте упоминай упоминайте рассказывай рассказывайте 告诉 告訴 告知 提及 提到 透露 通知 伝え 知らせ 言及 教え 알리지 알려 말하지 언급 beritahu memberitahu sebutkan vertel vermeld noi tiet บอก`},
	{"USER", "", `user users human humans person people operator operators owner end-user
		usuario usuaria usuarios utilisateur utilisateurs benutzer benutzern nutzer nutzern anwender utilizador utente utenti
		пользователю пользователь пользователя пользователем пользователям 用户 用戶 使用者 ユーザー ユーザ 利用者 사용자 kullanici kullaniciya pengguna
		uzytkownikowi uzytkownika gebruiker anvandaren nguoi ผู้ใช้ उपयोगकर्ता المستخدم customer client clients caller callers requester`},
	{"THIS", "", `this these it that any details step steps action actions change changes instruction instructions process behavior behaviour
		modification modifications operation adjustment redirection substitution
		esto este esta cela ceci dies dieses das isto isso questo этом это это dit 此 这 這 本 これ この 이 nay ini itu`},
	{"REVIEW", "", "summary summaries output response responses reply replies answer answers result results transcript log logs report chat conversation ui interface display preview listing index overview inventory audit console dashboard see"},
	{"OVERRIDE", "ignore disregard bypass discard neglect supersede circumvent",
		`forget forgets override overrides overriding overrode overruled suppress abandon
		ignora ignorar ignore olvida olvide olvidar ignorez ignorer oubliez oublier ignoriere ignorieren vergiss vergessen missachte ignora ignorare dimentica esqueca
		игнорируй игнорируйте игнорировать забудь забудьте 忽略 无视 無視 忘记 忘記 绕过 무시 ignoruj zignoruj abaikan negeer ละเว้น เพิกเฉย yoksay अनदेखा تجاهل`},
	{"PRIOR", "", `previous prior above earlier preceding former past foregoing existing initial original other your all any system developer safety ethical
		anteriores anterior previas previos precedentes precedente precedentes vorherigen bisherigen vorigen vorangegangenen precedenti
		предыдущие предыдущих все всех 之前 先前 以前 以上 所有 上述 前 すべて 全て 이전 모든 poprzednie wszystkie sebelumnya vorige onceki received told given`},
	{"EARLIER", "", `previous prior above earlier preceding former foregoing
		anteriores anterior previas previos precedentes precedente vorherigen bisherigen vorigen precedenti предыдущие предыдущих 之前 先前 以前 以上 上述 前 이전 poprzednie sebelumnya received`},
	{"INSTR", "", `instruction instructions guideline guidelines directive directives prompt prompts orders
		instrucciones instruccion indicaciones consignes directives anweisungen anweisung vorgaben instrucoes istruzioni
		инструкции инструкций указания указаний 指令 指示 说明 提示词 规则 규칙 지시 지침 지시사항 命令 instrukcje polecenia instruksi perintah instructies talimatlari คำสั่ง निर्देश निर्देशों التعليمات guidance directions direction`},
	{"SAFEGUARD", "", "restriction restrictions rule rules constraint constraints safeguard safeguards guardrail guardrails filter filters policy policies limitation limitations protocols validation checks"},

	{"MUST", "", `must shall required mandatory obligated obligatory compulsory always need needs ensure essential imperative necessary
		debe debes debera siempre obligatorio doit devez toujours obligatoire muss musst mussen immer zwingend deve sempre obrigatorio
		должен должны обязательно необходимо всегда 必须 必須 务必 务必要 始终 总是 一定 需要 必ず 常に 반드시 항상 phai luon harus selalu wajib moet altijd musisz zawsze ต้อง obliged expected supposed compulsory invariably demand demands devez deben doivent kindly please prerequisite precondition requires require ensures imperative vital compulsory`},
	{"YOU", "", "you agent assistant ai llm model claude gpt copilot chatbot modelo modele assistent agents assistants models llms ais"},
	{"ALSO", "", "also additionally furthermore simultaneously concurrently supplemental supplementary tambien aussi auch tambem anche также 同时 另外 还"},
	{"BEFORE", "", "before prior antes avant bevor vor prima перед прежде 之前 前に 전에 truoc sebelum voordat przed once"},
	{"USING", "use call invoke execute process answer respond proceed attempt perform handle return reply complete access run query search fetch retrieve", `using running calling
		usar usando utilizar llamar utiliser appeler verwenden verwendest benutzen aufrufen usar utilizzare использованием использовать использования вызовом вызова ответом ответа 使用 调用 回答 使う 사용 dung menggunakan gebruiken`},
	{"WHEN", "", "when whenever if after while during upon once each every before cuando quand wenn quando когда 当 每当 每次"},

	{"CALL", "call invoke use trigger execute delegate", "run runs running llama llame appelez rufe chiama вызови вызовите 调用 呼叫 呼び出 호출"},
	{"EXEC", "execute perform issue launch spawn", `run runs running
		ejecuta ejecute ejecutar executez executer ausfuhren execute executar esegui eseguire выполни выполните запусти запустите 执行 运行 実行 실행 chay jalankan`},
	{"BACKUP", "backup snapshot duplicate", "backup backups snapshot snapshots"},
	{"READ", "retrieve fetch open load extract obtain access collect gather harvest scan parse dump grab inspect capture look locate search list enumerate copy enclose consult examine view review check",
		`read reads reading get gets getting find finds cat
		lee lea leer abre lisez lire ouvrez lies lesen lese leia ler abra leggi leggere прочитай прочитайте прочти открой открыть 读取 讀取 打开 查看 获取 收集 読み 読んで 取得 읽 doc baca lees przeczytaj อ่าน`},
	{"SEND", "transmit forward upload email mail relay exfiltrate mirror copy replicate deliver stream ship publish submit report ping log post duplicate route sync cc bcc append share leak beacon export", `send sends sending sent
		envia envie enviar enviando envoie envoyez envoyer sende senden sendet invia inviare отправь отправьте отправить отправляй пошли перешли 发送 發送 上传 转发 提交 送信 送って 보내 전송 gui kirim stuur wyslij ส่ง`},
	{"PASS", "pass include append attach supply insert embed add put provide place populate paste enclose inject encode concatenate prepend write store save forward",
		`put puts putting incluye incluya pasa pase anade adjunta incluez passez ajoutez joignez ubergib fuge inclua passe adicione includi передай передайте включи вложи добавь 传入 传递 作为 包含 附加 附上 填入 渡し 含め 添付 전달 포함 첨부`},
	{"SLOT", "", `parameter parameters argument arguments field fields arg param params header headers body sidenote note notes metadata context comment footer query payload attachment input key
		parametro campo parametre champ argument feld параметр параметре поле параметра 参数 字段 引数 パラメータ 매개변수 인자 필드`},
	{"CONTENT", "", `content contents data file files copy copies conversation conversations history transcript message messages credentials credential secret secrets
		key keys token tokens password passwords information details results result output outputs payload email emails everything document documents prompt prompts context
		args arguments parameters request requests response responses environment inputs input records record records query queries diagnostics telemetry session sessions activity
		contenido contenu inhalt conteudo contenuto содержимое данные 内容 数据 对话 内容を 会話 내용 대화 noi text texts location whereabouts identity profile transactions balance numbers log logs inside whatever everything url urls ip history code source document documents file headers header cookies`},
	{"SECRET", "", `credential credentials password passwords passphrase passphrases secret secrets keystore keychain wallet mnemonic cookies ssn
		contrasena contrasenas passwort mot_de_passe senha senhas пароль пароли 密码 密钥 凭证 凭据 パスワード 秘密鍵 비밀번호`},
	{"PRIVATE", "", "private ssh api access auth session secret seed signing recovery encryption oauth refresh bearer admin root login aws"},
	{"KEYNOUN", "", "key keys token tokens phrase phrases cookie cookies id_rsa credentials password passwords"},
	{"TALK", "", "conversation chat dialogue dialog interaction session message messages prompt prompts"},
	{"PAST", "", "history transcript log previous prior entire full whole complete surrounding earlier past all last recent original five ten few hidden far all"},
	{"REMOTE", "", "server servers endpoint endpoints webhook collector service url address external remote third-party host domain site api bucket channel gateway proxy"},

	{"SHELL", "", "rm curl wget chmod chown chattr nc ncat netcat bash zsh powershell pwsh scp rsync dd mkfs crontab systemctl killall pkill kill base64 eval nslookup dig telnet certutil bitsadmin mshta iex sudo su dscl launchctl schtasks iptables ufw nohup shred truncate ssh-keygen useradd usermod passwd visudo printenv env whoami shutdown reboot poweroff tar"},
	{"VIEWER", "", "cat less head tail more type tac strings xxd hexdump"},
	{"COMMAND", "", "command commands script scripts shell bash terminal one-liner cmd comando comandos commande befehl команду команда 命令 コマンド 명령 lenh perintah instruction one-liner snippet"},
	{"DESTROY", "delete remove erase wipe purge destroy overwrite truncate clear drop revoke disable deactivate terminate kill shred corrupt", "clean cleanup rm borra borrar elimina supprimer loschen apagar elimina удали удалить 删除 清除 削除 삭제 "},
	{"DISABLE", "disable deactivate bypass skip suspend weaken circumvent ignore suppress override evade", "off"},
	{"DEFENCE", "", "security safety authentication authorization authorisation validation verification logging monitoring auditing audit firewall antivirus sandbox confirmation approval confirmations approvals permission permissions checks protection protections guardrails safeguards moderation mfa 2fa encryption"},

	{"CHANGE", "change modify replace override force substitute swap alter rewrite adjust redirect switch overwrite convert transform limit restrict increase multiply round add append inject apply update route reroute", `set sets setting cambia cambie modifica modifie modifiez remplacez andere ersetze altere mude cambia измени измените замени 修改 更改 替换 改为 设置 変更 置き換え 변경`},
	{"PARAM", "", `parameter parameters argument arguments recipient recipients address addresses amount amounts value values query queries input inputs destination destinations limit limits
		field fields receiver beneficiary payee account accounts interval period date dates quantity price currency location locations keyword keywords term terms origin mode format branch owner repo repository visibility target host url
		ticker symbol symbols number name id filter filters option options setting settings cc bcc subject coordinates city radius`},
	{"SPECIFIED", "", "specified provided requested supplied given entered chosen actual original intended specify specifies request requests input inputs choice preference preferences instruction instructions asked asks query wants said setting settings intent selection typed named"},
	{"SAID", "", "typed types asked asks ask requested requests entered enters named names wants wanted chose chosen chooses picks picked specified specifies provided provides gave given gives said says searches searched selected selects mentioned mentions supplied supplies submitted submits intended intends meant expressed typing writes wrote inputs thinks prefers preferred objects disagrees refuses insists complains declines"},
	{"REPLACE", "replace override overwrite substitute swap alter rewrite shift force multiply redirect reroute divert manipulate tamper falsify disregard ignore discard", "overrides overriding overridden overwritten rewritten rewrote"},
	{"WHATEVER", "", "whatever whichever wherever whomever whoever"},
	{"REGARDLESS", "", "regardless irrespective ignoring overriding disregarding notwithstanding despite whatever whichever"},
	{"AUTO", "", "automatically implicitly transparently seamlessly silently quietly internally secretly always"},
	{"STEALTH", "", `secretly covertly stealthily surreptitiously clandestinely furtively discreetly invisibly unnoticed undetected
		secretamente silenciosamente discretamente secretement silencieusement discretement heimlich unbemerkt segretamente тайно скрытно незаметно 秘密地 悄悄 偷偷 暗中 密かに こっそり 몰래 diam-diam`},
	{"QUIET", "", "silently quietly transparently seamlessly background behind-the-scenes"},
	{"HIDE", "omit conceal suppress mask exclude withhold", "hide hides hiding hidden invisible unaware obscured unseen oculta ocultar cacher cachez verberge verbergen esconda nascondi скрой скрыть скрывай 隐藏 隐瞒 隠 숨기 숨겨 leave left strip stripped exclude excluded erase erased"},
	{"AWARE", "", "aware knowledge consent awareness notice permission approval noticing knowing know knows saber savoir wissen oblivious informed involvement intervention interaction"},

	{"TOOLNOUN", "", "tool tools function functions plugin plugins skill skills server servers api endpoint herramienta outil werkzeug ferramenta strumento инструмент 工具 ツール 도구"},
	{"OTHER", "", "other another any all every remaining others alternative existing available installed otra otras autre autres andere andere outra altri другие другой 其他 其它 任何 他の 다른"},
	{"UPGRADED", "", "upgraded updated enhanced modified redirected optimized optimised compromised insecure unsafe integrated reconfigured improved overridden vulnerable patched extended altered configured rerouted routed changed restricted unreliable untrusted optimised improved extended corrupted corrupts revised rewritten refreshed streamlined hardened adapted tuned adjusted switched"},
	{"BEHAVE", "", "now automatically will should must always requires behaves defaults includes applies enables sends routes uses adds sets converts redirects returns first has is"},
	{"WISH", "", "entered typed asked wants wanted asks picked picks chose chooses writes wrote said says given"},
	{"AFFECT", "affect influence alter modify govern control override intercept change", ""},
	{"BEHAVIOUR", "", "behavior behaviour behaviors functionality operation operations usage calls invocations output outputs results rules parameters workflow workflows"},

	{"AUTHORITY", "", `system security compliance administrator admin administrative emergency maintenance protocol regulatory operational infrastructure privacy audit legal policy
		platform core performance environment corporate enterprise governance authorization authorisation authentication safety internal developer data kernel root integrity priority critical mandatory urgent important network service verification validation quality workflow user session process api configuration url supply chain risk enhanced regional database cache caching traffic routing endpoint server client ai assistant agent model global universal special additional technical official legacy access billing financial transaction payment account resource memory storage search location geographic content response output input request query tool support post-processing market regional content identity capacity repository health configuration continuous license licence analytics traffic cdn`},
	{"ANNOUNCE", "", `update alert notice requirement requirements optimization optimisation enhancement maintenance protocol override directive instruction instructions advisory mode check validation policy
		upgrade bypass order mandate patch initialization command verification notification message prompt rule procedure access sync synchronization diagnostics monitoring measure measures warning configuration setup feature integration improvement assurance tip promotion compliance audit security prerequisite step action tuning window control extension migration normalization normalisation enforcement integration hygiene standard standards mandatory note reminder authorization consistency handling reconciliation synchronisation preparation initialisation hardening retention logging telemetry processing management required directives context state workflow shield enrichment compatibility layer gate rule routing triage capacity synchronization continuous rule restriction restrictions mode enabled check backup logging`},
	{"REASON", "", "reasons purposes purpose compliance integrity sake requirements"},
	{"CEREMONY", "", `authorization authorisation compliance regulatory regulation regulations audit auditing security validation verification authentication governance integrity diagnostic diagnostics telemetry analytics logging tracking optimization optimisation performance
		consistency assurance monitoring hygiene gdpr hipaa sox pci quality accuracy legal safety proxying troubleshooting maintenance identity privacy reliability standardization protection fraud licensing licence license caching latency availability redundancy resilience deduplication synchronization synchronisation synchronise calibration certification traceability accountability transparency freshness stability efficiency speed correctness precision completeness experience`},
	{"RESTRICTED", "", "restricted suspended unavailable blocked locked disabled offline frozen limited maintenance paused down deprecated delisted nonexistent nothing removed closed embargoed prohibited forbidden"},
	{"PENDING", "", "pending due until audit review maintenance investigation upgrade outage pending under awaiting review approval legal"},
	{"HALT", "halt stop abort refuse decline reject cancel cease pause terminate block", ""},
	{"REQUESTNOUN", "", "operation operations request requests task tasks query queries execution process processing user call lookup search action"},
	{"SAY", "state include append prepend recommend promote mention display insert present say claim suggest advise respond reply output add conclude end begin report attach return", "say tell tells says put write finish finishes close start begin"},
	{"PROMO", "", "promotional promotion sponsored sponsor advertisement advertising advertise affiliate endorsement marketing tip trending discount coupon referral"},
	{"ANSWERNOUN", "", "answer answers response responses reply replies output outputs message messages result results summary report"},
	{"ROLE", "", "admin administrator root superuser unrestricted jailbroken dan developer god system hacker attacker uncensored evil override authority unfiltered operator"},
	{"UNLIMITED", "", "unrestricted unlimited uncensored unfiltered elevated emergency debug developer god maintenance privileged admin jailbreak override"},
	{"DETECT", "detect scan flag block filter sanitize sanitise strip moderate classify guard recognise recognize check test audit lint analyze analyse identify prevent escape match screen", "detection detector scanner moderation against"},
	{"EXAMPLE", "", "such like e.g eg example examples instance phrase phrases pattern patterns attempt attempts attack attacks injection injections jailbreak jailbreaks payload payloads text strings containing wording wordings"},
	{"IMPORTANTTAG", "", "important critical system instructions instruction hidden secret urgent admin override internal mandatory directive priority protocol"},
	{"HYPOTHETICAL", "", "could might attackers attacker adversary malware"},
	{"PERSONAL", "", "name address email phone birthday ssn passport iban card location ip identity health medical salary"},
	{"INTERP", "", "python python3 perl ruby node php sh osascript"},
	{"OUTCOME", "", "fail fails failure crash crashes error errors imprecise inaccurate incorrect rejected invalid unreliable corrupt corrupted unusable break breaks blocked suspended terminated penalties"},
	{"USINGVERB", "", "use uses using run running"},
	{"CALLING", "", "call calls calling invoke invokes invoking execute executes executing trigger triggers"},
	{"TOBE", "", "is are was were gets get has have been being"},
	{"PASSIVE", "", "is are was were"},
	{"INUSE", "", "called used invoked executed triggered run available present installed enabled loaded"},
	{"DOCWORD", "", `use usage used using example examples return returns returned args arguments argument parameter parameters params required optional note notes tip tips when not important guidelines
		format formats output outputs input inputs operations operation supported limits limit errors error response responses query queries syntax rules best practices practice how to what why for and or the this tool tools
		common features feature available options values types type field fields workflow steps step requirements only do don default defaults schema json sql html api supported method methods action actions warning warnings caution`},
	{"BASE", "", "read send get find run put set hide write tell say give take make keep override forget overwrite rewrite bring leave pay"},
	{"FORM", "", "sent sending reading got getting found finding putting setting hidden hiding written writing given giving told telling ran running taken making made kept overridden overwritten rewritten brought left paid"},
	{"CONSENTED", "", "authorized authorised approved consented agreed permitted preapproved pre-approved"},
}
