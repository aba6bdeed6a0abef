package samples

// language has the words for secrets and sentences around them.
type language struct {
	code string
	// named are sentences and lines that call the value a password or the like.
	named []string
	// prose mentions a token by its form alone, with the punctuation and without
	// the blanks of the language.
	prose []string
}

func (l *language) layouts() []layout {
	var list []layout
	for _, text := range l.named {
		list = append(list, layout{name: "name in another language", takes: []kind{password, byForm}, text: text})
	}
	for _, text := range l.prose {
		list = append(list, layout{name: "prose in another language", takes: []kind{byForm}, text: text})
	}
	return list
}

var languages = []language{
	{"de", []string{"Passwort: {v}\nBenutzer: anna", "Das Passwort lautet {v} und gilt bis Montag.", "Zugangsdaten\nBenutzername: anna\nKennwort: {v}\n", "DB-Passwort={v}\nHost=db1"}, []string{"Bitte den Schlüssel „{v}“ nicht weitergeben.", "Der Aufruf mit {v}, der gestern lief, scheitert."}},
	{"es", []string{"Contraseña: {v}\nUsuario: ana", "La contraseña es {v}, cámbiala pronto.", "clave de acceso: {v}", "contraseña={v};puerto=5432"}, []string{"Usa el token «{v}» para entrar.", "La llamada con {v} falló ayer."}},
	{"fr", []string{"Mot de passe : {v}\nIdentifiant : anne", "Le mot de passe est {v} jusqu’à lundi.", "mdp: {v}", "mot_de_passe={v}\nport=5432"}, []string{"Le jeton « {v} » a expiré.", "L’appel avec {v}, lancé hier, échoue."}},
	{"pt", []string{"Senha: {v}\nUsuário: ana", "A senha é {v}, troque logo.", "palavra-passe: {v}", "senha={v}\nporta=5432"}, []string{"O token {v} expirou."}},
	{"it", []string{"Parola d'ordine: {v}", "La password è {v}, cambiala presto.", "chiave segreta: {v}", "password di accesso: {v}\nutente: anna"}, []string{"Il token «{v}» è scaduto."}},
	{"nl", []string{"Wachtwoord: {v}\nGebruiker: anne", "Het wachtwoord is {v} tot maandag.", "wachtwoord={v}"}, []string{"De aanroep met {v} mislukt."}},
	{"pl", []string{"Hasło: {v}\nUżytkownik: anna", "hasło to {v}, zmień je.", "hasło={v}\nport=5432"}, []string{"Klucz „{v}” wygasł."}},
	{"ru", []string{"Пароль: {v}\nПользователь: anna", "пароль {v}, смените его", "Ключ доступа: {v}", "пароль={v}\nпорт=5432"}, []string{"Токен «{v}» истёк вчера.", "Вызов с {v}не прошёл."}},
	{"zh", []string{"密码：{v}\n用户：anna", "密码是{v}，请尽快修改。", "数据库密码:{v}\n端口:5432", "请使用口令“{v}”登录。", "| 名称 | 密码 |\n|---|---|\n| 测试 | {v} |\n"}, []string{"请用密钥{v}调用接口。", "令牌（{v}）已过期，请更换。", "日志：用{v}登录失败"}},
	{"ja", []string{"パスワード：{v}\nユーザー：anna", "パスワードは{v}です。", "データベースのパスワード: {v}\nポート: 5432", "パスワード「{v}」を変更してください。"}, []string{"トークン{v}の有効期限が切れました。", "キーは「{v}」です。", "昨日は{v}で失敗しました。"}},
	{"ko", []string{"비밀번호: {v}\n사용자: anna", "비밀번호는 {v}입니다.", "암호: {v}\n포트: 5432"}, []string{"토큰 {v}이 만료되었습니다.", "키({v})를 바꾸세요."}},
	{"tr", []string{"Şifre: {v}\nKullanıcı: ayşe", "Parola: {v}", "şifre={v}\nport=5432"}, []string{"Anahtar {v}, dün süresi doldu."}},
	{"ar", []string{"كلمة المرور: {v}\nالمستخدم: anna", "كلمة السر: {v}"}, []string{"المفتاح {v} منتهي."}},
}
