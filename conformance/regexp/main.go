// Command regexp says what Go's regular expressions make of patterns: for each line of JSON on its standard input (a
// pattern and texts) a line on its standard output (why the pattern is refused, or where it is found in each text).
package main

import (
	"bufio"
	"encoding/json"
	"log"
	"os"
	"regexp"
)

type question struct {
	Pattern string   `json:"pattern"`
	Texts   []string `json:"texts"`
}

type answer struct {
	Refusal string `json:"refusal"`
	// For each text, the beginning and end of every part that matches, in bytes.
	Found [][][]int `json:"found"`
}

func main() {
	in, out := json.NewDecoder(bufio.NewReader(os.Stdin)), bufio.NewWriter(os.Stdout)
	answers := json.NewEncoder(out)
	for in.More() {
		var asked question
		if err := in.Decode(&asked); err != nil {
			log.Fatal(err)
		}
		if err := answers.Encode(judge(asked)); err != nil {
			log.Fatal(err)
		}
	}
	if err := out.Flush(); err != nil {
		log.Fatal(err)
	}
}

func judge(asked question) answer {
	pattern, err := regexp.Compile(asked.Pattern)
	if err != nil {
		return answer{Refusal: err.Error()}
	}
	found := [][][]int{}
	for _, text := range asked.Texts {
		parts := pattern.FindAllStringIndex(text, -1)
		if parts == nil {
			parts = [][]int{}
		}
		found = append(found, parts)
	}
	return answer{Found: found}
}
