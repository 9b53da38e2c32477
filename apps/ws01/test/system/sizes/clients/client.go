// client URL CALLS: Go's net/http. Each call prints its way, its name, the status or error, and what came.
package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

func main() {
	calls, _ := os.ReadFile(os.Args[2])
	ways := map[string]func([]byte, *http.Request){
		"Go": func(body []byte, r *http.Request) {
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		},
		"Go chunked": func(body []byte, r *http.Request) { r.Body = io.NopCloser(bytes.NewReader(body)) },
		"Go chunked Expect": func(body []byte, r *http.Request) {
			r.Body = io.NopCloser(bytes.NewReader(body))
			r.Header.Set("Expect", "100-continue")
		},
		"Go chunked gzip": func(body []byte, r *http.Request) {
			reader, writer := io.Pipe()
			go func() {
				packer := gzip.NewWriter(writer)
				packer.Write(body)
				packer.Close()
				writer.Close()
			}()
			r.Body = reader
			r.Header.Set("Content-Encoding", "gzip")
		},
	}
	for way, with := range ways {
		for _, line := range strings.Split(strings.TrimSpace(string(calls)), "\n") {
			fields := strings.Split(line, "\t")
			body, _ := os.ReadFile(fields[2])
			request, _ := http.NewRequest("POST", os.Args[1], nil)
			request.Header.Set("Content-Type", "text/xml; charset=utf-8")
			request.Header.Set("SOAPAction", "\"http://tempuri.org/ws01/"+fields[1]+"\"")
			with(body, request)
			answer, err := http.DefaultClient.Do(request)
			if err != nil {
				fmt.Printf("%s\t%s\terror\t%s\n", way, fields[0], err)
				continue
			}
			text, _ := io.ReadAll(answer.Body)
			answer.Body.Close()
			fmt.Printf("%s\t%s\t%d\t%s\n", way, fields[0], answer.StatusCode, strings.NewReplacer("\n", " ", "\t", " ").Replace(string(text)))
		}
	}
}
