package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// Identity is what makes a server trusted and a client known: certificates, keys and a token, all made anew.
type Identity struct {
	AuthorityFile    string
	AuthorityKeyFile string
	CertificateFile  string
	KeyFile          string
	AccountKeyFile   string
	TokenFile        string
	authorityPEM     []byte
	token            string
}

func newIdentity(folder string) (*Identity, error) {
	at := func(name string) string { return filepath.Join(folder, name) }
	identity := &Identity{
		AuthorityFile: at("ca.crt"), AuthorityKeyFile: at("ca.key"), CertificateFile: at("server.crt"), KeyFile: at("server.key"),
		AccountKeyFile: at("account.key"), TokenFile: at("tokens.csv"),
	}
	authorityKey, authority, err := certificate(nil, nil)
	if err != nil {
		return nil, err
	}
	serverKey, server, err := certificate(authority, authorityKey)
	if err != nil {
		return nil, err
	}
	accountKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	secret := make([]byte, 24)
	if _, err := rand.Read(secret); err != nil {
		return nil, err
	}
	identity.token = hex.EncodeToString(secret)
	identity.authorityPEM = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: authority.Raw})
	files := map[string][]byte{
		identity.AuthorityFile:   identity.authorityPEM,
		identity.CertificateFile: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Raw}),
		identity.TokenFile:       fmt.Appendf(nil, "%s,admin,admin,\"system:masters\"\n", identity.token),
	}
	keys := map[string]*ecdsa.PrivateKey{
		identity.AuthorityKeyFile: authorityKey, identity.KeyFile: serverKey, identity.AccountKeyFile: accountKey,
	}
	for file, key := range keys {
		der, err := x509.MarshalECPrivateKey(key)
		if err != nil {
			return nil, err
		}
		files[file] = pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})
	}
	for file, content := range files {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			return nil, err
		}
	}
	return identity, nil
}

// certificate makes a certificate authority, or a certificate for loopback signed by one.
func certificate(issuer *x509.Certificate, issuerKey *ecdsa.PrivateKey) (*ecdsa.PrivateKey, *x509.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()),
		Subject:      pkix.Name{CommonName: "kube-apiserver"},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(24 * time.Hour),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
		DNSNames:     []string{"localhost"},
	}
	if issuer == nil {
		template.Subject.CommonName = "pintle conformance"
		template.IsCA, template.BasicConstraintsValid = true, true
		template.KeyUsage = x509.KeyUsageCertSign
		issuer, issuerKey = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, issuer, key.Public(), issuerKey)
	if err != nil {
		return nil, nil, err
	}
	parsed, err := x509.ParseCertificate(der)
	return key, parsed, err
}

// Kubeconfig is what a client needs to reach the server at address.
func (identity *Identity) Kubeconfig(address string) string {
	return fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: kube
contexts: [{name: kube, context: {cluster: kube, user: admin, namespace: default}}]
clusters: [{name: kube, cluster: {server: "%s", certificate-authority-data: %s}}]
users: [{name: admin, user: {token: %s}}]
`, address, base64.StdEncoding.EncodeToString(identity.authorityPEM), identity.token)
}
