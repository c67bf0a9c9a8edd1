package dev.komainu.proxy.practice;

import dev.komainu.organizer.member.SecretIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.util.Base64;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/** A certificate with a random key, in files of a directory, and the TLS clients that trust it. */
public final class PracticeIdentity {

    private final Path chain;
    private final Path key;
    private final SSLContext context;

    /**
     * Generates the key and writes both files.
     *
     * @throws IOException when the directory cannot be written
     */
    public PracticeIdentity(Path directory) throws IOException {
        byte[] secret = new byte[48];
        new SecureRandom().nextBytes(secret);
        try {
            SecretIdentity identity =
                    SecretIdentity.of(Base64.getEncoder().encodeToString(secret), "practice");
            chain = write(
                    directory,
                    "chain.pem",
                    "CERTIFICATE",
                    identity.certificate().getEncoded());
            key = write(directory, "key.pem", "PRIVATE KEY", identity.key().getEncoded());
            KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
            trusted.load(null, null);
            trusted.setCertificateEntry("practice", identity.certificate());
            TrustManagerFactory trust =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    private static Path write(Path directory, String name, String label, byte[] der)
            throws IOException {
        String lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        Path file = Files.createFile(
                directory.resolve(name),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        return Files.writeString(
                file,
                "-----BEGIN " + label + "-----\n" + lines + "\n-----END " + label + "-----\n",
                StandardCharsets.US_ASCII);
    }

    /** Returns certificate and key, for the setting {@code tls.certificates}. */
    public String files() {
        return chain + "=" + key;
    }

    /**
     * Connects with a complete handshake.
     *
     * @param resumed whether a session of an earlier connection is resumed, when there is one
     * @param protocol the ALPN name
     * @throws IOException when the handshake fails
     */
    public Socket connect(InetSocketAddress proxy, boolean resumed, String protocol)
            throws IOException {
        SSLSocket socket = (SSLSocket) context.getSocketFactory()
                .createSocket(open(proxy), "practice", proxy.getPort(), true);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setApplicationProtocols(new String[] {protocol});
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        if (!resumed) {
            socket.getSession().invalidate();
        }
        return socket;
    }

    /**
     * Connects without TLS.
     *
     * @throws IOException when the proxy does not accept
     */
    public static Socket open(InetSocketAddress proxy) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), proxy.getPort());
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(10_000);
        return socket;
    }
}
