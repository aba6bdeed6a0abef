package rules

// structure are the finds that no token format describes: what they are is told
// by the text around them. The engine has a detector of the same ID for each.
var structure = []Rule{
	{ID: "private-key"},                  // a PEM, OpenSSH or PGP private key block, whole or cut off
	{ID: "uri-password"},                 // scheme://user:password@host; the rest of the URI stays
	{ID: "uri-token"},                    // scheme://token@host
	{ID: "bearer-token"},                 // Bearer and a token
	{ID: "basic-credentials"},            // Basic and base64 of user:password
	{ID: "curl-credentials"},             // curl -u user:password
	{ID: "kubernetes-secret"},            // data of a Secret manifest
	{ID: "cookie"},                       // Cookie and Set-Cookie headers
	{ID: "named-password"},               // password=...
	{ID: "named-secret"},                 // client_secret=... and others that name nothing else
	{ID: "named-token"},                  // vendor_token=... when the value looks random
	{ID: "signed-url"},                   // the signature of a URL that grants access
	{ID: "seed-phrase"},                  // twelve or more words
	{ID: "card", Class: Personal},        // payment card number with issuer prefix and check digit
	{ID: "iban", Class: Personal},        // bank account number with country length and check digits
	{ID: "us-ssn", Class: Personal},      // US social security number, named as such
	{ID: "email", Class: Personal},       // mail address
	{ID: "phone", Class: Personal},       // telephone number, international or named as such
	{ID: "path", Class: Internal},        // absolute path of a file
	{ID: "stack-frame", Class: Internal}, // a line of a stack trace
}

// tokens that more than one issuer makes.
var common = []Rule{
	{ID: "jwt", Pattern: `ey[A-Za-z0-9_-]{17,}\.ey[A-Za-z0-9/\\_=-]{17,}(?:\.[A-Za-z0-9/\\_=-]+)?`},
	{ID: "jwe", Kind: "jwt", Pattern: `eyJ[A-Za-z0-9_-]{17,}\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`},
	// Base64 of base64 of the header's first member.
	{ID: "jwt-base64", Kind: "jwt", Pattern: `ZXlK(?:aGJHY2lPaU|aGNIVWlPaU|aGNIWWlPaU|aGRXUWlPaU|aU5qUWlP|amNtbDBJanBi|amRIa2lPaU|bGNHc2lPbn|bGJtTWlPaU|cWEzVWlPaU|cWQyc2lPb|cGMzTWlPaU|cGRpSTZJ|cmFXUWlP|clpYbGZiM0J6SWpwY|cmRIa2lPaUp|dWIyNWpaU0k2|d01tTWlP|d01uTWlPaU|d2NIUWlPaU|emRXSWlPaU|emRuUWlP|MFlXY2lPaU|MGVYQWlPaUp|MWNtd2l|MWMyVWlPaU|MlpYSWlPaU|MlpYSnphVzl1SWpv|NElqb2|NE5XTWlP|NE5YUWlPaU|NE5YUWpVekkxTmlJNkl|NE5YVWlPaU|NmFYQWlPaU)[A-Za-z0-9/\\_+-]{40,}={0,2}`},
}
