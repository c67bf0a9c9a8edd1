package dev.komainu.proxy.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.security.interfaces.RSAKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;

/**
 * The identity of this proxy: a certificate with its issuers, and its private key. They belong
 * together, and were valid when they were read.
 *
 * @param chain the server's own certificate first
 * @param names the hosts it is valid for, in lower case; {@code *.example.com} for every name one
 *     label below
 */
record ServerIdentity(List<X509Certificate> chain, PrivateKey key, List<String> names) {

    private static final int DNS_NAME = 2;

    /**
     * Reads an identity.
     *
     * @throws IdentityFault with every problem of the two files
     */
    static ServerIdentity read(CertificateFiles files, long nowMillis) throws IdentityFault {
        List<X509Certificate> chain;
        try {
            chain = PemFile.chain(files.certificate());
        } catch (IdentityFault fault) {
            if (Files.isReadable(files.key())) {
                throw fault;
            }
            List<String> both = new ArrayList<>(fault.problems());
            both.add("tls.certificates: " + files.key() + " (expected: a readable file)");
            throw new IdentityFault(both);
        }
        X509Certificate own = chain.getFirst();
        List<String> problems = new ArrayList<>();
        if (own.getNotAfter().toInstant().toEpochMilli() < nowMillis) {
            problems.add("tls.certificates: " + files.certificate() + " expired "
                    + own.getNotAfter().toInstant()
                    + " (expected: a valid certificate)");
        } else if (own.getNotBefore().toInstant().toEpochMilli() > nowMillis) {
            problems.add("tls.certificates: " + files.certificate() + " is not valid before "
                    + own.getNotBefore().toInstant()
                    + " (expected: a valid certificate)");
        }
        PrivateKey key = null;
        try {
            key = PemFile.key(files.key(), own.getPublicKey());
            if (!belong(key, own.getPublicKey())) {
                problems.add("tls.certificates: " + files.key() + " (expected: the private key of "
                        + files.certificate() + ")");
            }
        } catch (IdentityFault fault) {
            problems.addAll(fault.problems());
        }
        if (!problems.isEmpty() || key == null) {
            throw new IdentityFault(problems);
        }
        return new ServerIdentity(chain, key, names(own));
    }

    private static boolean belong(PrivateKey key, PublicKey certified) {
        if (key instanceof RSAKey first && certified instanceof RSAKey second) {
            return first.getModulus().equals(second.getModulus());
        }
        try {
            String algorithm = certified.getAlgorithm().equals("EC")
                    ? "SHA256withECDSA"
                    : certified.getAlgorithm();
            byte[] text = {1, 2, 3};
            Signature signer = Signature.getInstance(algorithm);
            signer.initSign(key);
            signer.update(text);
            byte[] signed = signer.sign();
            Signature verifier = Signature.getInstance(algorithm);
            verifier.initVerify(certified);
            verifier.update(text);
            return verifier.verify(signed);
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    /**
     * Returns the names in subjectAltName, or without one the subject's common name (RFC 9525
     * section 2 discusses its use).
     */
    private static List<String> names(X509Certificate own) {
        List<String> names = new ArrayList<>();
        try {
            if (own.getSubjectAlternativeNames() != null) {
                for (List<?> name : own.getSubjectAlternativeNames()) {
                    if (name.get(0) instanceof Integer kind && kind == DNS_NAME) {
                        names.add(name.get(1).toString().toLowerCase(Locale.ROOT));
                    }
                }
                return List.copyOf(names);
            }
            for (Rdn part : new LdapName(own.getSubjectX500Principal().getName()).getRdns()) {
                if (part.getType().equalsIgnoreCase("CN")) {
                    names.add(part.getValue().toString().toLowerCase(Locale.ROOT));
                }
            }
        } catch (CertificateParsingException | InvalidNameException unreadable) {
            // The certificate then serves only as the default.
        }
        return List.copyOf(names);
    }

    /** Reports whether all users of this machine may read the key. */
    static boolean isOpenToOthers(Path key) {
        try {
            return Files.getPosixFilePermissions(key).contains(PosixFilePermission.OTHERS_READ);
        } catch (IOException | UnsupportedOperationException unknown) {
            return false;
        }
    }
}
