// Checks exports of a shoe's record with Go's own tlog and note: what verify.py answers must be the same.
// Arguments: vkeys of the log. Input: exports, each behind its length (4 bytes, big endian). Output: a line for each:
// "ok" or "wrong", lines and checkpoints that were right.
package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type object = map[string]any
type hashes []tlog.Hash

func (h hashes) ReadHashes(indexes []int64) (found []tlog.Hash, err error) {
	for _, i := range indexes {
		found = append(found, h[i])
	}
	return found, nil
}

type log struct {
	keys               []string
	known              note.Verifiers
	publics            []ed25519.PublicKey
	origin             string
	head, journal      string
	seq, size, begins  int64
	stored             hashes
	begun              bool
	sealed             map[string]string
	lines, checkpoints int
}

var (
	isHex     = regexp.MustCompile(`^[0-9a-f]{64}$`)
	isJournal = regexp.MustCompile(`^[0-9]{1,9}-[0-9a-f]{1,64}$`)
	isSize    = regexp.MustCompile(`^(0|[1-9][0-9]{0,18})$`)
	isInteger = regexp.MustCompile(`^-?[0-9]{1,20}$`)
	strict    = base64.StdEncoding.Strict()
)

func must(good bool) {
	if !good {
		panic("wrong")
	}
}

func decode(text string) []byte {
	data, err := strict.DecodeString(text)
	must(err == nil && strict.EncodeToString(data) == text)
	return data
}

func parse(data []byte, into any) {
	must(utf8.Valid(data))
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	must(d.Decode(into) == nil && len(bytes.TrimSpace(data[d.InputOffset():])) == 0)
}

func integer(value any) int64 {
	number, is := value.(json.Number)
	must(is && isInteger.MatchString(string(number)))
	n, err := number.Int64()
	must(err == nil)
	return n
}

func given(value any) bool {
	return value != nil && value != "" && value != false && value != json.Number("0")
}

func (l *log) line(data []byte) {
	parts := strings.Split(string(data), "\t")
	must(len(parts) == 6 && strings.HasSuffix(parts[5], "\n") && parts[0] == "3")
	body := data[len(parts[1])+3 : len(data)-1]
	must(parts[1] == fmt.Sprintf("%08x", crc32.Update(crc32.ChecksumIEEE([]byte("3")), crc32.IEEETable, body)))
	head, public, sealed, shown, proof := parts[2], parts[3], parts[4], object{}, object{}
	must(isHex.MatchString(head) && isHex.MatchString(sealed))
	var raw struct{ Events []json.RawMessage }
	parse([]byte(public), &shown)
	parse([]byte(public), &raw)
	if parts[5] != "\n" {
		parse([]byte(parts[5]), &proof)
	}
	journal, named := shown["journal"].(string)
	_, dated := shown["at"].(string)
	must(named && dated && isJournal.MatchString(journal) && len(raw.Events) > 0)
	seq := integer(shown["seq"])
	must(seq > 0)
	begin, texts := strings.Index(public, `,"events":[`), []string{}
	events := make([]object, len(raw.Events))
	for n, each := range raw.Events {
		must(each[0] == '{')
		parse(each, &events[n])
		texts = append(texts, string(each))
	}
	must(begin >= 0 && public[begin:] == `,"events":[`+strings.Join(texts, ",")+"]}")
	follows := func(before string) bool {
		sum := sha256.Sum256([]byte(before + sealed + public))
		return hex.EncodeToString(sum[:]) == head
	}
	if l.head != "" {
		must((seq == 1 || journal == l.journal && seq == l.seq+1) && follows(l.head))
	} else if strings.HasPrefix(journal, "0-") && seq == 1 {
		must(follows(strings.Repeat("0", 64)))
	}
	l.head, l.journal, l.seq = head, journal, seq
	l.begin(events, follows)
	if edge, there := proof["edge"]; there && !l.begun {
		l.resume(integer(proof["size"]), edge.([]any))
	} else if there && l.size > l.begins {
		l.stands(integer(proof["size"]), edge.([]any))
	}
	if !l.begun {
		l.lines++
		return
	}
	leaf, _ := hex.DecodeString(head)
	more, err := tlog.StoredHashes(l.size, leaf, l.stored)
	must(err == nil)
	l.stored, l.size = append(l.stored, more...), l.size+1
	l.signed(events, texts, public[:begin], head, proof)
	l.cards(journal, seq, events)
	l.lines++
}
