package dev.komainu.central.audit.outside;

import dev.komainu.central.audit.AuditEntry;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * A syslog server: one datagram for each entry (RFC 5426), or a connection with octet counting (RFC
 * 6587 section 3.4.1, RFC 5425 with TLS). One thread.
 *
 * <p>Syslog has no acknowledgements. Before each message the connection is tested for an end by the
 * server, so that its restart loses no entry; what is in transfer when a connection breaks can be
 * lost. A gap shows by the numbers.
 */
final class SyslogSink implements AuditSink {

    /** Largest datagram that every receiver should accept (RFC 5426 section 3.2). */
    private static final int DATAGRAM = 2_048;

    private final URI address;
    private final @Nullable Path authorities;
    private final Duration timeout;
    private final String host;
    private final long process = ProcessHandle.current().pid();
    private @Nullable Socket connection;

    SyslogSink(URI address, @Nullable Path authorities, Duration timeout) {
        this.address = address;
        this.authorities = authorities;
        this.timeout = timeout;
        this.host = hostName();
    }

    @Override
    public String name() {
        return "syslog";
    }

    @Override
    public String place() {
        return address.toString();
    }

    @Override
    public void send(AuditEntry entry, String signature) throws IOException {
        byte[] message = SyslogMessage.of(entry, signature, host, process, true);
        if (address.getScheme().equals("udp")) {
            if (message.length > DATAGRAM) {
                message = SyslogMessage.of(entry, signature, host, process, false);
            }
            try (DatagramSocket socket = new DatagramSocket()) {
                socket.send(new DatagramPacket(message, message.length, target()));
            }
            return;
        }
        boolean sent = false;
        try {
            OutputStream out = connected().getOutputStream();
            byte[] count = (message.length + " ").getBytes(StandardCharsets.US_ASCII);
            byte[] frame = new byte[count.length + message.length];
            System.arraycopy(count, 0, frame, 0, count.length);
            System.arraycopy(message, 0, frame, count.length, message.length);
            out.write(frame);
            out.flush();
            sent = true;
        } finally {
            if (!sent) {
                close();
            }
        }
    }

    private InetSocketAddress target() throws UnknownHostException {
        String name = address.getHost().replaceAll("[\\[\\]]", "");
        return new InetSocketAddress(InetAddress.getByName(name), address.getPort());
    }

    private Socket connected() throws IOException {
        Socket open = connection;
        if (open != null && isOpen(open)) {
            return open;
        }
        close();
        Socket fresh = open();
        connection = fresh;
        return fresh;
    }

    private Socket open() throws IOException {
        int millis = Math.toIntExact(timeout.toMillis());
        Socket plain = new Socket();
        boolean done = false;
        try {
            plain.connect(target(), millis);
            plain.setTcpNoDelay(true);
            plain.setKeepAlive(true);
            plain.setSoTimeout(millis);
            Socket ready = address.getScheme().equals("tls") ? secured(plain) : plain;
            done = true;
            return ready;
        } finally {
            if (!done) {
                plain.close();
            }
        }
    }

    private Socket secured(Socket plain) throws IOException {
        String name = address.getHost().replaceAll("[\\[\\]]", "");
        SSLSocket socket = (SSLSocket) factory().createSocket(plain, name, address.getPort(), true);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return socket;
    }

    private SSLSocketFactory factory() throws IOException {
        Path file = authorities;
        if (file == null) {
            return (SSLSocketFactory) SSLSocketFactory.getDefault();
        }
        try (InputStream in = Files.newInputStream(file)) {
            KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
            trusted.load(null, null);
            for (Certificate each :
                    CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                trusted.setCertificateEntry("ca-" + trusted.size(), each);
            }
            TrustManagerFactory trust =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context.getSocketFactory();
        } catch (GeneralSecurityException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }

    /** Reports whether the server did not end the connection: it sends nothing else. */
    private static boolean isOpen(Socket socket) {
        try {
            int timeout = socket.getSoTimeout();
            socket.setSoTimeout(1);
            try {
                return socket.getInputStream().read() >= 0;
            } catch (SocketTimeoutException e) {
                return true;
            } finally {
                socket.setSoTimeout(timeout);
            }
        } catch (IOException e) {
            return false;
        }
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "-";
        }
    }

    @Override
    public void close() {
        Socket open = connection;
        connection = null;
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                // it is not used again
            }
        }
    }
}
