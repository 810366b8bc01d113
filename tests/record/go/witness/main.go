// A witness of C2SP tlog-witness over Go's own tlog and note, for tests: it keeps nothing on disk.
// Arguments: address, name, seed (hex), time (0: now), vkeys of logs. Prints the address that it listens on.
package main

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type seen struct {
	size int64
	root tlog.Hash
	note string
}

var (
	lock   sync.Mutex
	logs   = map[string]note.Verifier{}
	newest = map[string]seen{}
	name   = os.Args[2]
	at, _  = strconv.ParseInt(os.Args[4], 10, 64)
	key    ed25519.PrivateKey
	id     [4]byte
)

func cosigned(text string) string {
	now := at
	if now == 0 {
		now = time.Now().Unix()
	}
	signature := ed25519.Sign(key, []byte(fmt.Sprintf("cosignature/v1\ntime %d\n%s", now, text)))
	data := append(binary.BigEndian.AppendUint64(id[:], uint64(now)), signature...)
	return fmt.Sprintf("\u2014 %s %s\n", name, base64.StdEncoding.EncodeToString(data))
}

func size(text string) (int64, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil && n >= 0 && strconv.FormatInt(n, 10) == text
}

// add answers a request: the status and the body.
func add(body string) (int, string) {
	head, text, whole := strings.Cut(body, "\n\n")
	lines := strings.Split(head, "\n")
	old, is := size(strings.TrimPrefix(lines[0], "old "))
	if !whole || !is || !strings.HasPrefix(lines[0], "old ") || len(lines) > 64 {
		return 400, ""
	}
	var proof tlog.TreeProof
	for _, line := range lines[1:] {
		hash, err := tlog.ParseHash(line)
		if err != nil {
			return 400, ""
		}
		proof = append(proof, hash)
	}
	origin, _, _ := strings.Cut(text, "\n")
	verifier, known := logs[origin]
	if !known {
		return 404, ""
	}
	opened, err := note.Open([]byte(text), note.VerifierList(verifier))
	if err != nil {
		return 403, ""
	}
	stated := strings.Split(opened.Text, "\n")
	if len(stated) != 4 {
		return 400, ""
	}
	count, is := size(stated[1])
	root, err := tlog.ParseHash(stated[2])
	if !is || err != nil || old > count {
		return 400, ""
	}
	lock.Lock()
	defer lock.Unlock()
	before := newest[origin]
	if old != before.size {
		return 409, fmt.Sprintf("%d\n", before.size)
	}
	fork := old == count && old > 0 && root != before.root
	same := (old == 0 || old == count) && len(proof) == 0
	if fork || !same && (old == 0 || tlog.CheckTree(proof, count, root, old, before.root) != nil) {
		return 422, ""
	}
	line := cosigned(opened.Text)
	newest[origin] = seen{count, root, text + line}
	return 200, line
}

func serve(out http.ResponseWriter, request *http.Request) {
	data, err := io.ReadAll(http.MaxBytesReader(out, request.Body, 64<<10))
	path := strings.Trim(request.URL.Path, "/")
	switch {
	case err != nil:
		out.WriteHeader(413)
	case request.Method == "POST" && path == "add-checkpoint":
		status, body := add(string(data))
		if status == 409 && body != "" {
			out.Header().Set("Content-Type", "text/x.tlog.size")
		}
		out.WriteHeader(status)
		io.WriteString(out, body)
	default:
		lock.Lock()
		defer lock.Unlock()
		for origin, last := range newest {
			if sum := sha256.Sum256([]byte(origin)); path == hex.EncodeToString(sum[:])+"/checkpoint" {
				io.WriteString(out, last.note)
				return
			}
		}
		out.WriteHeader(404)
	}
}

func main() {
	seed, _ := hex.DecodeString(os.Args[3])
	key = ed25519.NewKeyFromSeed(seed)
	sum := sha256.Sum256(append([]byte(name+"\n\x04"), key.Public().(ed25519.PublicKey)...))
	copy(id[:], sum[:])
	for _, vkey := range os.Args[5:] {
		verifier, err := note.NewVerifier(vkey)
		if err != nil {
			panic(err)
		}
		logs[verifier.Name()] = verifier
	}
	listener, err := net.Listen("tcp", os.Args[1])
	if err != nil {
		panic(err)
	}
	fmt.Println(listener.Addr())
	panic(http.Serve(listener, http.HandlerFunc(serve)))
}
