module pintle/conformance/regexp

go 1.26.0
