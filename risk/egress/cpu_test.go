package egress
import ("testing";"syscall";"fmt";"time";"strings";"encoding/json";"os";"runtime/pprof")
func cpu() time.Duration { var r syscall.Rusage; syscall.Getrusage(1, &r); return time.Duration(r.Utime.Nano()) }
func TestCPU(t *testing.T){
 if os.Getenv("CPU")=="" {t.Skip()}
 s := New(builtin(t), DefaultPolicy()); ses:=session()
 run:=func(name string, text []byte){ f:=func(){ s.Bytes(ses,Place{},text)}; f(); c:=cpu(); n:=0; for cpu()-c<300*time.Millisecond {f();n++}; d:=cpu()-c; fmt.Printf("%-14s %8.1f MB/s\n",name,float64(n*len(text))/d.Seconds()/1e6)}
 text:=cleanJSON(1<<20)
 {c:=cpu(); n:=0; for cpu()-c<300*time.Millisecond {json.Valid(text);n++}; d:=cpu()-c; fmt.Printf("%-14s %8.1f MB/s\n","json.Valid",float64(n*len(text))/d.Seconds()/1e6)}
 if os.Getenv("CPU")!="h" {
 f,_:=os.Create("/tmp/eg/cpu3.prof"); pprof.StartCPUProfile(f)
 run("clean",text)
 pprof.StopCPUProfile()
 run("clean64",cleanJSON(64<<10)); run("clean4",cleanJSON(4<<10))
 run("prose",[]byte(strings.Repeat("The deployment of the service went well; see the notes below.\n", 1<<14)))
 c:=cpu(); n:=0; for cpu()-c<300*time.Millisecond {builtin(t);n++}; fmt.Println("engine",(cpu()-c)/time.Duration(n))
 } else { for name,unit:=range hostile(){ for _,k:=range []int{64<<10,1<<20} { run(fmt.Sprint(name," ",k>>10),[]byte(strings.Repeat(unit, k/len(unit)+1)[:k])) } } }
}
