// Reads metrics as Prometheus does: the classic text format with the parser of its client libraries and the linter of
// promtool, OpenMetrics with the parser of the server itself. Scrapes the URL it is given, once in each format, and prints
// every family with its type. What a parser does not accept or the linter complains about is an error.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sort"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: scrape URL")
		os.Exit(2)
	}
	if err := check(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func check(url string) error {
	body, media, err := fetch(url, "")
	if err != nil {
		return err
	}
	if err := classic(body, media); err != nil {
		return fmt.Errorf("classic text format: %w", err)
	}
	body, media, err = fetch(url, "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5")
	if err != nil {
		return err
	}
	if err := openMetrics(body, media); err != nil {
		return fmt.Errorf("OpenMetrics: %w", err)
	}
	return nil
}

func fetch(url, accept string) ([]byte, string, error) {
	request, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return nil, "", err
	}
	if accept != "" {
		request.Header.Set("Accept", accept)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answers %s", url, response.Status)
	}
	return body, response.Header.Get("Content-Type"), err
}

func classic(body []byte, media string) error {
	if format := expfmt.ResponseFormat(http.Header{"Content-Type": {media}}); format.FormatType() != expfmt.TypeTextPlain {
		return fmt.Errorf("%q is not its media type", media)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(body))
	if err != nil {
		return err
	}
	names := make([]string, 0, len(families))
	for name := range families {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Printf("%s %s %d\n", name, families[name].GetType(), len(families[name].GetMetric()))
	}
	problems, err := promlint.New(bytes.NewReader(body)).Lint()
	if err != nil {
		return err
	}
	var found []error
	for _, problem := range problems {
		found = append(found, fmt.Errorf("%s: %s", problem.Metric, problem.Text))
	}
	return errors.Join(found...)
}

func openMetrics(body []byte, media string) error {
	parser, err := textparse.New(body, media, labels.NewSymbolTable(), textparse.ParserOptions{})
	if err != nil {
		return err
	}
	series := 0
	for {
		entry, err := parser.Next()
		if errors.Is(err, io.EOF) {
			fmt.Printf("OpenMetrics: %d series\n", series)
			return nil
		}
		if err != nil {
			return err
		}
		if entry == textparse.EntrySeries {
			series++
		}
	}
}
