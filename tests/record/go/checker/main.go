// Checks exports of a shoe's record by Go's own tlog and note: chain, tree, checkpoints and signatures of rounds.
// What an entry says is left to verify.py, and its form: that must find wrong what is wrong here, in the same line.
// Arguments: vkeys of the log. Input: exports, each behind a line with its length. Output: a line for each, "ok" or
// "wrong", how many lines, checkpoints and rounds were right, and the class of what no signature covers: 0 for nothing,
// 3 for lines that anybody can have written, 7 for the open round of a table in play.
package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type export struct {
	keys                       []note.Verifier
	head, origin               string
	begun                      bool
	size                       int64
	tree                       []tlog.Hash // as tlog numbers them
	lines, checkpoints, rounds int

	loose, unsigned, bare int  // lines of no record; behind the last checkpoint; that should have one
	isLoose, misfits      bool // lines of no record are before this one; one behind the last checkpoint fits no round
	signed, ahead         play // up to the last checkpoint, and up to the last line
}

// play is what is open at a table. open is nil where it is unknown; ended and round are -1 where none is known.
type play struct {
	table, journal, boot string
	shoe, ended, round   int64
	open                 *bool
	last                 bool
}

var nothing = play{shoe: -1, ended: -1, round: -1}

var signedKinds = strings.Fields("RecordBegun BridgeStarted ShoeOpened RoundClosed RoundVoided RoundCorrected ShoeEnded KeyChanged")

type object map[string]json.RawMessage

// value is that of a key, or `none` where it is of another type.
func value[T any](o object, key string, none T) T {
	found := none
	if raw, is := o[key]; !is || string(raw) == "null" || json.Unmarshal(raw, &found) != nil {
		return none
	}
	return found
}

func objects(public string) (shown object, events []object) {
	must(json.Unmarshal([]byte(public), &shown) == nil && json.Unmarshal(shown["events"], &events) == nil)
	return shown, events
}

func at(shown object) play {
	text := func(key string) string { return value(shown, key, "") }
	return play{table: text("table"), journal: text("journal"), boot: text("boot"), shoe: value(shown, "shoe", int64(-1))}
}

// follow takes a line for signed.
func (p *play) follow(shown object, events []object) {
	here := at(shown)
	if here.shoe == p.shoe {
		here.ended, here.round, here.open, here.last = p.ended, p.round, p.open, p.last
	} else {
		here.ended, here.round = -1, -1
	}
	*p = here
	yes, no := true, false
	for _, event := range events {
		number, isNumber := value(event, "round", int64(0)), value[*int64](event, "round", nil) != nil
		switch kind := value(event, "type", ""); {
		case kind == "ShoeOpened":
			p.open, p.ended, p.round = &yes, 0, -1
		case kind == "ShoeEnded":
			p.open = &no
		case strings.HasPrefix(kind, "Round") && slices.Contains(signedKinds, kind) && isNumber:
			p.ended, p.last = max(p.ended, number), value(event, "last", false)
		case kind == "CardDealt" && isNumber:
			p.open, p.round = &yes, number
		}
	}
}

// fits says whether a line behind the last checkpoint is of the shoe and round that were open there.
func (p *play) fits(shown object, events []object) bool {
	here := at(shown)
	isThere := here.table != "" && here.journal != "" && here.boot != "" && here.shoe != 0
	isSame := here.table == p.table && here.journal == p.journal && here.boot == p.boot && here.shoe == p.shoe
	if p.open == nil || !*p.open || !isThere || !isSame {
		return false
	}
	for _, event := range events {
		if slices.Contains(signedKinds, value(event, "type", "")) {
			return false
		}
		if _, is := event["round"]; is && !p.isNow(value[*int64](event, "round", nil)) {
			return false
		}
	}
	return true
}

func (p *play) isNow(number *int64) bool {
	if number == nil || p.last {
		return false
	}
	if p.round > p.ended {
		return *number == p.round
	}
	return *number == p.ended+1
}

// class is that of what no signature covers.
func (e *export) class() int {
	switch {
	case e.isLoose || e.bare > 0 || !e.begun || e.unsigned > 0 && e.misfits || e.origin == "":
		return 3
	case e.unsigned > 0:
		return 7
	}
	return 0
}

type proof struct {
	Note *string
	Sigs map[string]string
	Size json.Number
	Edge *[]string
}

func must(good bool) {
	if !good {
		panic("wrong")
	}
}

func right[T any](value T, err error) T {
	must(err == nil)
	return value
}

// ReadHashes gives tlog the hashes of the tree.
func (e *export) ReadHashes(indexes []int64) (found []tlog.Hash, err error) {
	for _, i := range indexes {
		found = append(found, e.tree[i])
	}
	return found, nil
}

func (e *export) line(data string) {
	parts := strings.Split(data, "\t")
	must(len(parts) == 6 && strings.HasSuffix(data, "\n") && (parts[0] == "3" || parts[0] == "4"))
	head, public, sealed, shown := parts[2], parts[3], parts[4], proof{}
	must(strings.HasPrefix(public, map[string]string{"3": `{"v":1,`, "4": `{"v":2,`}[parts[0]]))
	must(parts[5] == "\n" || json.Unmarshal([]byte(parts[5]), &shown) == nil)
	must(e.head == "" || head == fmt.Sprintf("%x", sha256.Sum256([]byte(e.head+sealed+public))))
	if e.head = head; strings.Contains(public, `{"type":"RecordBegun",`) {
		e.begun, e.origin, e.size, e.tree = true, "", 0, nil
		e.loose, e.unsigned, e.bare = 0, 0, 0
	} else if shown.Edge != nil && !e.begun {
		e.isLoose = e.loose > 0
		e.resume(right(shown.Size.Int64()), *shown.Edge)
	}
	about, events := objects(public)
	e.misfits = e.misfits || !e.signed.fits(about, events)
	e.ahead.follow(about, events)
	if e.loose++; e.begun {
		e.loose--
		if shown.Note == nil {
			e.unsigned++
			if slices.ContainsFunc(events, func(event object) bool {
				return slices.Contains(signedKinds, value(event, "type", ""))
			}) {
				e.bare++
			}
		}
		leaf := right(hex.DecodeString(head))
		e.tree, e.size = append(e.tree, right(tlog.StoredHashes(e.size, leaf, e))...), e.size+1
		if shown.Note != nil {
			e.checkpoint(*shown.Note)
			e.checkSigs(public, shown.Sigs)
			e.unsigned, e.misfits, e.signed = 0, false, e.ahead
		}
	}
	e.lines++
}

// resume begins in the middle of a record, with the whole subtrees before it, largest first.
func (e *export) resume(size int64, edge []string) {
	must(size >= 0 && size < 1<<20)
	e.begun, e.size, e.tree = true, size, make([]tlog.Hash, tlog.StoredHashCount(size))
	for level, at := 19, int64(0); level >= 0; level-- {
		if size>>level&1 == 1 {
			e.tree[tlog.StoredHashIndex(level, at>>level)] = right(tlog.ParseHash(edge[0]))
			edge, at = edge[1:], at+1<<level
		}
	}
	must(len(edge) == 0)
}

func (e *export) checkpoint(text string) {
	opened := right(note.Open([]byte(text), note.VerifierList(e.keys...)))
	origin, _, _ := strings.Cut(opened.Text, "\n")
	must(opened.Text == fmt.Sprintf("%s\n%d\n%s\n", origin, e.size, right(tlog.TreeHash(e.size, e))))
	must(opened.Sigs[0].Name == origin && (e.origin == "" || e.origin == origin))
	e.origin, e.checkpoints = origin, e.checkpoints+1
}

// checkSigs checks the sig of each round: over the message as the table sent it, the keys in `own` beside the others.
func (e *export) checkSigs(public string, sigs map[string]string) {
	begin, _, _ := strings.Cut(public, `,"events":[`)
	var shown struct{ Events []json.RawMessage }
	must(json.Unmarshal([]byte(public), &shown) == nil)
	kinds := []string{`{"type":"RoundClosed`, `{"type":"RoundVoided`, `{"type":"RoundCorrected`}
	for n, event := range shown.Events {
		kind, rest, _ := strings.Cut(string(event), `",`)
		if !slices.Contains(kinds, kind) {
			continue
		}
		var last struct{ Own json.RawMessage }
		must(json.Unmarshal(event, &last) == nil)
		if before, is := strings.CutSuffix(rest, `,"own":`+string(last.Own)+"}"); is {
			rest = strings.TrimSuffix(before+","+string(last.Own[1:len(last.Own)-1]), ",") + "}"
		}
		sig := right(base64.StdEncoding.DecodeString(sigs[fmt.Sprint(n+1)]))
		rest = fmt.Sprintf(`%s,"head":"%s","n":%d,"of":%d,%s`, begin, e.head, n+1, len(shown.Events), rest)
		message := []byte("shoe-round/1\n" + e.origin + "\n" + rest)
		must(slices.ContainsFunc(e.keys, func(key note.Verifier) bool { return key.Verify(message, sig) }))
		e.rounds++
	}
}

func (e *export) check(data string) (verdict string) {
	defer func() {
		if recover() != nil {
			verdict = "wrong"
		}
	}()
	for line := range strings.Lines(data) {
		e.line(line)
	}
	return "ok"
}

func main() {
	var keys []note.Verifier
	for _, vkey := range os.Args[1:] {
		keys = append(keys, right(note.NewVerifier(vkey)))
	}
	in, out, length := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout), 0
	defer out.Flush()
	for count, _ := fmt.Fscanf(in, "%d\n", &length); count == 1; count, _ = fmt.Fscanf(in, "%d\n", &length) {
		data := make([]byte, length)
		right(io.ReadFull(in, data))
		e := &export{keys: keys, signed: nothing, ahead: nothing}
		fmt.Fprintln(out, e.check(string(data)), e.lines, e.checkpoints, e.rounds, e.class())
	}
}
