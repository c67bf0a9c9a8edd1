package dev.komainu.organizer.member;

import java.io.ByteArrayInputStream;
import java.math.BigInteger;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECFieldFp;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPrivateKeySpec;
import java.security.spec.ECPublicKeySpec;
import javax.crypto.KDF;
import javax.crypto.spec.HKDFParameterSpec;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * One TLS identity of all members that share a secret: the key of a certificate is derived from the
 * secret, and only that key is trusted. So the secret is never sent, and the protection is plain
 * TLS 1.3, without a protocol of our own.
 *
 * <p>Java's TLS does not support pre-shared keys; this has the same effect. Its price: each client
 * sees the public key before it must prove anything, and can test guesses of the secret offline.
 * Therefore a secret must be long.
 *
 * @param key on P-256
 * @param certificate self-signed; only its key has a meaning
 */
public record SecretIdentity(PrivateKey key, X509Certificate certificate) {

    static final int SHORTEST = 32;
    private static final int LEAST_DIFFERENT = 12;
    private static final BigInteger TWO = BigInteger.TWO;
    private static final BigInteger THREE = BigInteger.valueOf(3);

    /**
     * Derives the identity.
     *
     * @param cluster the same secret gives two clusters two identities
     * @throws IllegalArgumentException when the secret could be guessed; its text is in no message
     */
    public static SecretIdentity of(String secret, String cluster) throws GeneralSecurityException {
        if (secret.length() < SHORTEST || secret.chars().distinct().count() < LEAST_DIFFERENT) {
            throw new IllegalArgumentException("a secret of " + secret.length() + " characters, "
                    + secret.chars().distinct().count() + " of them different (expected: at least "
                    + SHORTEST + ", "
                    + LEAST_DIFFERENT + " different, random: openssl rand -base64 32)");
        }
        AlgorithmParameters parameters = AlgorithmParameters.getInstance("EC");
        parameters.init(new ECGenParameterSpec("secp256r1"));
        ECParameterSpec curve = parameters.getParameterSpec(ECParameterSpec.class);
        // 48 bytes for a number of 32: the bias of the remainder is below 2^-128 (FIPS 186-5,
        // A.2.1).
        byte[] derived = KDF.getInstance("HKDF-SHA256")
                .deriveData(HKDFParameterSpec.ofExtract()
                        .addIKM(secret.getBytes(StandardCharsets.UTF_8))
                        .addSalt(("komainu organizer " + cluster).getBytes(StandardCharsets.UTF_8))
                        .thenExpand("TLS key P-256".getBytes(StandardCharsets.US_ASCII), 48));
        BigInteger scalar = new BigInteger(1, derived)
                .mod(curve.getOrder().subtract(BigInteger.ONE))
                .add(BigInteger.ONE);
        KeyFactory factory = KeyFactory.getInstance("EC");
        PrivateKey key = factory.generatePrivate(new ECPrivateKeySpec(scalar, curve));
        PublicKey publicKey =
                factory.generatePublic(new ECPublicKeySpec(times(scalar, curve), curve));
        return new SecretIdentity(key, selfSigned(key, publicKey));
    }

    /**
     * Returns the public point. It runs once at the start, where no other process can measure its
     * time.
     */
    private static ECPoint times(BigInteger scalar, ECParameterSpec curve) {
        BigInteger p = ((ECFieldFp) curve.getCurve().getField()).getP();
        BigInteger a = curve.getCurve().getA();
        ECPoint sum = ECPoint.POINT_INFINITY;
        for (int bit = scalar.bitLength() - 1; bit >= 0; bit--) {
            sum = plus(sum, sum, p, a);
            if (scalar.testBit(bit)) {
                sum = plus(sum, curve.getGenerator(), p, a);
            }
        }
        return sum;
    }

    /** Adds two points (SEC 1, section 2.2.1). */
    private static ECPoint plus(ECPoint point, ECPoint other, BigInteger p, BigInteger a) {
        if (point.equals(ECPoint.POINT_INFINITY)) {
            return other;
        }
        BigInteger x1 = point.getAffineX();
        BigInteger y1 = point.getAffineY();
        BigInteger x2 = other.getAffineX();
        BigInteger y2 = other.getAffineY();
        BigInteger slope;
        if (x1.equals(x2)) {
            if (y1.add(y2).mod(p).signum() == 0) {
                return ECPoint.POINT_INFINITY;
            }
            slope = THREE.multiply(x1.pow(2)).add(a).multiply(TWO.multiply(y1).modInverse(p));
        } else {
            slope = y2.subtract(y1).multiply(x2.subtract(x1).modInverse(p));
        }
        BigInteger x = slope.pow(2).subtract(x1).subtract(x2).mod(p);
        return new ECPoint(x, slope.multiply(x1.subtract(x)).subtract(y1).mod(p));
    }

    /**
     * Creates a certificate of X.509 version 1 (RFC 5280, 4.1): its names have no meaning, and it
     * never expires.
     */
    private static X509Certificate selfSigned(PrivateKey key, PublicKey publicKey)
            throws GeneralSecurityException {
        byte[] ecdsaWithSha256 = DerWriter.sequence(
                DerWriter.raw(0x06, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
        byte[] name = DerWriter.sequence(DerWriter.of(
                0x31,
                DerWriter.sequence(
                        DerWriter.raw(0x06, 0x55, 0x04, 0x03),
                        DerWriter.text(0x0c, "komainu organizer"))));
        byte[] toBeSigned = DerWriter.sequence(
                DerWriter.raw(0x02, 0x01),
                ecdsaWithSha256,
                name,
                DerWriter.sequence(
                        DerWriter.text(0x17, "200101000000Z"),
                        DerWriter.text(0x18, "99991231235959Z")),
                name,
                publicKey.getEncoded());
        Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(key);
        signature.update(toBeSigned);
        byte[] certificate = DerWriter.sequence(
                toBeSigned, ecdsaWithSha256, DerWriter.of(0x03, new byte[] {0}, signature.sign()));
        return (X509Certificate) CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(certificate));
    }

    X509ExtendedTrustManager trust() {
        return new SameKey(certificate.getPublicKey().getEncoded());
    }

    /** Trust manager of one public key. TLS itself verifies that the peer has the private key. */
    private static final class SameKey extends X509ExtendedTrustManager {
        private final byte[] expected;

        SameKey(byte[] expected) {
            this.expected = expected;
        }

        private void check(X509Certificate[] chain) throws CertificateException {
            if (chain.length == 0
                    || !MessageDigest.isEqual(expected, chain[0].getPublicKey().getEncoded())) {
                throw new CertificateException("The peer has another secret");
            }
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType)
                throws CertificateException {
            check(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType)
                throws CertificateException {
            check(chain);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
                throws CertificateException {
            check(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
                throws CertificateException {
            check(chain);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
                throws CertificateException {
            check(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
                throws CertificateException {
            check(chain);
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
