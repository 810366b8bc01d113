package main

import (
	"bufio"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func (l *log) begin(events []object, follows func(string) bool) {
	for n, event := range events {
		if event["type"] != "RecordBegun" {
			continue
		}
		origin, is := event["origin"].(string)
		before, said := event["follows"].(object)
		must(is && said && l.origin == "" && n == len(events)-1 && slices.Contains(l.keys, fmt.Sprint(event["key"])))
		must(strings.HasPrefix(event["key"].(string), origin+"+") && follows(fmt.Sprint(before["head"])))
		_, named := before["origin"].(string)
		must(integer(before["size"]) >= 0 && (named || before["origin"] == nil))
		l.begun, l.origin, l.size, l.begins, l.stored = true, origin, 0, 0, nil
	}
}

// places of the whole subtrees of a tree, largest first, among its stored hashes.
func places(size int64) (found []int64) {
	for level, at := 62, int64(0); level >= 0; level-- {
		if size>>level&1 == 1 {
			found, at = append(found, tlog.StoredHashIndex(level, at>>level)), at+1<<level
		}
	}
	return found
}

func (l *log) stands(size int64, edge []any) {
	must(size == l.size && len(edge) == len(places(size)))
	for n, place := range places(size) {
		must(edge[n] == l.stored[place].String())
	}
}

func (l *log) resume(size int64, edge []any) {
	must(size >= 0 && size < 1<<20 && len(edge) == len(places(size)))
	l.begun, l.size, l.begins, l.stored = true, size, size, make(hashes, tlog.StoredHashCount(size))
	for n, place := range places(size) {
		hash := decode(edge[n].(string))
		must(len(hash) == 32)
		copy(l.stored[place][:], hash)
	}
}

func (l *log) signed(events []object, texts []string, prefix, head string, proof object) {
	if !given(proof["note"]) {
		return
	}
	text, is := proof["note"].(string)
	must(is)
	_, lines, _ := strings.Cut(text[max(0, strings.LastIndex(text, "\n\n")):], "\n\n")
	for _, line := range strings.Split(strings.TrimSuffix(lines, "\n"), "\n") {
		decode(line[strings.LastIndex(line, " ")+1:])
	}
	opened, err := note.Open([]byte(text), l.known)
	must(err == nil)
	stated := strings.Split(opened.Text, "\n")
	must(len(stated) == 4 && stated[3] == "" && isSize.MatchString(stated[1]) && len(decode(stated[2])) == 32)
	root, err := tlog.TreeHash(l.size, l.stored)
	must(err == nil && slices.ContainsFunc(opened.Sigs, func(s note.Signature) bool { return s.Name == stated[0] }))
	if l.origin == "" {
		l.origin = stated[0]
	}
	must(stated[0] == l.origin && stated[1] == strconv.FormatInt(l.size, 10) && stated[2] == root.String())
	l.checkpoints++
	for n, event := range events {
		kind, _ := event["type"].(string)
		start := `{"type":"` + kind + `",`
		if !slices.Contains([]string{"RoundClosed", "RoundVoided", "RoundCorrected"}, kind) || !strings.HasPrefix(texts[n], start) {
			continue
		}
		numbers := fmt.Sprintf(`,"head":"%s","n":%d,"of":%d,`, head, n+1, len(events))
		message := []byte("shoe-round/1\n" + l.origin + "\n" + prefix + numbers + flat(texts[n][len(start):]))
		sigs, _ := proof["sigs"].(object)
		sig, is := sigs[strconv.Itoa(n+1)].(string)
		must(is && slices.ContainsFunc(l.publics, func(key ed25519.PublicKey) bool { return ed25519.Verify(key, message, decode(sig)) }))
	}
}

func flat(rest string) string {
	for at := 0; ; at++ {
		found := strings.Index(rest[at:], `,"own":`)
		if found < 0 {
			return rest
		}
		at += found
		if own := rest[at+7 : len(rest)-1]; json.Valid([]byte(own)) {
			if own == "{}" {
				return rest[:at] + "}"
			}
			return rest[:at] + "," + own[1:]
		}
	}
}

func (l *log) cards(journal string, seq int64, events []object) {
	for n, event := range events {
		if given(event["commit"]) {
			l.sealed[fmt.Sprint(journal, seq, ".", n+1)] = fmt.Sprint(event["commit"])
		}
		if event["type"] == "CardRevealed" {
			of, number := integer(event["seq"]), integer(event["n"])
			place := fmt.Sprint(journal, of, ".", number)
			if commit, shown := l.sealed[place]; shown {
				text := fmt.Sprintf("%s:%d:%d:%v:%v", journal, of, number, event["card"], event["nonce"])
				sum := sha256.Sum256([]byte(text))
				must(hex.EncodeToString(sum[:]) == commit)
				delete(l.sealed, place)
			}
		}
	}
}

func (l *log) check(data []byte) (good bool) {
	defer func() {
		if recover() != nil {
			good = false
		}
	}()
	for len(data) > 0 {
		end := strings.IndexByte(string(data), '\n') + 1
		if end == 0 {
			end = len(data)
		}
		l.line(data[:end])
		data = data[end:]
	}
	return true
}

func main() {
	var verifiers []note.Verifier
	var publics []ed25519.PublicKey
	for _, vkey := range os.Args[1:] {
		verifier, err := note.NewVerifier(vkey)
		if err != nil {
			panic(err)
		}
		verifiers = append(verifiers, verifier)
		publics = append(publics, decode(vkey[strings.Index(vkey, "+")+10:])[1:])
	}
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	defer out.Flush()
	var length uint32
	for binary.Read(in, binary.BigEndian, &length) == nil {
		data := make([]byte, length)
		if _, err := io.ReadFull(in, data); err != nil {
			panic(err)
		}
		l := &log{keys: os.Args[1:], known: note.VerifierList(verifiers...), publics: publics, sealed: map[string]string{}}
		fmt.Fprintln(out, map[bool]string{true: "ok", false: "wrong"}[l.check(data)], l.lines, l.checkpoints)
	}
}
