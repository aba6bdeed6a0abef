package main

import (
	"bytes"
	_ "embed"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

//go:embed formula.rb.tmpl
var formula string

//go:embed winget.yaml.tmpl
var winget string

// manifests fills in the templates for Homebrew and winget, each if all of its archives
// were made; sums are their checksums by target.
func (r *release) manifests(sums map[string]string) error {
	for _, m := range []struct{ file, text, system string }{{"glovebox.rb", formula, "darwin"}, {"Glovebox.Glovebox.yaml", winget, "windows"}} {
		if sums[m.system+"/amd64"] == "" || sums[m.system+"/arm64"] == "" || m.system == "darwin" && (sums["linux/amd64"] == "" || sums["linux/arm64"] == "") {
			continue
		}
		filled := template.New(m.file).Option("missingkey=error").Funcs(template.FuncMap{
			"sum": func(target string) string { return sums[target] },
			"url": func(target string) string {
				os, arch, _ := strings.Cut(target, "/")
				kind := ".tar.gz"
				if os == "windows" {
					kind = ".zip"
				}
				return "https://github.com/glovebox-run/glovebox/releases/download/" + r.version + "/glovebox_" + strings.TrimPrefix(r.version, "v") + "_" + os + "_" + arch + kind
			},
		})
		if _, err := filled.Parse(m.text); err != nil {
			return err
		}
		var out bytes.Buffer
		if err := filled.Execute(&out, map[string]string{"Version": strings.TrimPrefix(r.version, "v"), "Date": r.time.Format("2006-01-02")}); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(r.out, m.file), out.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}
