package dev.komainu.intermediary.kit;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/** A certificate made for a test, with its key, and clients that trust every certificate. */
public record Certified(X509Certificate certificate, PrivateKey key) {

    /**
     * Makes a certificate with the JDK's keytool.
     *
     * @param algorithm RSA or EC
     * @param from keytool's start date, such as {@code -10d}; the certificate is valid for five
     *     days
     */
    public static Certified make(Path directory, String algorithm, String from, String... names)
            throws Exception {
        Path store = Files.createTempFile(directory, "keys", ".p12");
        Files.delete(store);
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-J-XX:TieredStopAtLevel=1",
                "-genkeypair",
                "-alias",
                "o",
                "-keyalg",
                algorithm,
                "-dname",
                "CN=" + names[0],
                "-ext",
                "san="
                        + String.join(
                                ",",
                                List.of(names).stream().map(n -> "dns:" + n).toList()),
                "-startdate",
                from,
                "-validity",
                "5",
                "-keystore",
                store.toString(),
                "-storepass",
                "changeit"));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(output);
        }
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, "changeit".toCharArray());
        }
        return new Certified((X509Certificate) keys.getCertificate("o"), (PrivateKey)
                keys.getKey("o", "changeit".toCharArray()));
    }

    /**
     * Writes {@code NAME.crt} and {@code NAME.key}, the key as PKCS#8.
     *
     * @return {@code CERTIFICATE=KEY}
     */
    public String write(Path directory, String name) throws IOException, GeneralSecurityException {
        return write(directory, name, "PRIVATE KEY", key.getEncoded());
    }

    /**
     * Writes the key in a format that Java cannot read: PKCS#1 for RSA, SEC 1 for EC.
     *
     * @return {@code CERTIFICATE=KEY}
     */
    public String writeLegacyKey(Path directory, String name)
            throws IOException, GeneralSecurityException {
        return write(directory, name, key.getAlgorithm() + " PRIVATE KEY", inner(key.getEncoded()));
    }

    private String write(Path directory, String name, String label, byte[] bytes)
            throws IOException, GeneralSecurityException {
        Path certificateFile = directory.resolve(name + ".crt");
        Path keyFile = directory.resolve(name + ".key");
        Files.writeString(certificateFile, pem("CERTIFICATE", certificate.getEncoded()));
        Files.writeString(keyFile, pem(label, bytes));
        Files.setPosixFilePermissions(keyFile, PosixFilePermissions.fromString("rw-------"));
        return certificateFile + "=" + keyFile;
    }

    private static String pem(String label, byte[] bytes) {
        return "-----BEGIN " + label + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes) + "\n-----END "
                + label
                + "-----\n";
    }

    /**
     * Returns the content of the last member of {@code SEQUENCE { INTEGER, SEQUENCE, OCTET STRING
     * }}.
     */
    private static byte[] inner(byte[] pkcs8) {
        int at = content(pkcs8, 0);
        at = content(pkcs8, at) + 1;
        int algorithm = content(pkcs8, at);
        int octets = algorithm + (pkcs8[at + 1] & 0xff);
        return java.util.Arrays.copyOfRange(pkcs8, content(pkcs8, octets), pkcs8.length);
    }

    private static int content(byte[] der, int at) {
        int first = der[at + 1] & 0xff;
        return at + 2 + (first < 0x80 ? 0 : first & 0x7f);
    }

    /** Returns a context that trusts every certificate and caches sessions. */
    public static SSLContext trusting() throws GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {new TrustAll()}, null);
        return context;
    }

    /** Opens a TLS connection and completes the handshake. */
    public static SSLSocket connect(
            SSLContext context,
            InetSocketAddress to,
            @Nullable String host,
            String version,
            String... protocols)
            throws IOException {
        SSLSocket socket = (SSLSocket) context.getSocketFactory()
                .createSocket(
                        new Socket(to.getAddress(), to.getPort()), "localhost", to.getPort(), true);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setServerNames(host == null ? List.of() : List.of(new SNIHostName(host)));
        parameters.setProtocols(new String[] {version});
        parameters.setApplicationProtocols(protocols);
        socket.setSSLParameters(parameters);
        socket.setSoTimeout(60_000);
        socket.startHandshake();
        return socket;
    }

    private static final class TrustAll implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
