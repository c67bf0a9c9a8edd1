package dev.komainu.central.alert.notify;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/**
 * A STARTTLS front (RFC 3207) for an SMTP server without TLS: it handles the first commands, then
 * forwards the decrypted bytes.
 */
final class StarttlsFront implements AutoCloseable {

    private final ServerSocket listening;
    private final SSLContext context;
    private final int behind;

    StarttlsFront(SSLContext context, int behind) throws IOException {
        this.context = context;
        this.behind = behind;
        this.listening = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return listening.getLocalPort();
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket client = listening.accept();
                Thread.ofVirtual().start(() -> serve(client));
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    private void serve(Socket client) {
        try (client;
                Socket server = new Socket(InetAddress.getLoopbackAddress(), behind)) {
            say(client, "220 front ESMTP");
            readLine(client.getInputStream()); // EHLO
            say(client, "250-front");
            say(client, "250 STARTTLS");
            readLine(client.getInputStream()); // STARTTLS
            say(client, "220 go ahead");
            SSLSocket inside = (SSLSocket)
                    context.getSocketFactory().createSocket(client, null, client.getPort(), true);
            inside.setUseClientMode(false);
            inside.startHandshake();
            readLine(server.getInputStream()); // its greeting; the client has received one
            Thread answers = Thread.ofVirtual().start(() -> pump(server, inside));
            pump(inside, server);
            server.shutdownOutput();
            answers.join();
        } catch (IOException e) {
            // the client closed, or refused the certificate
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void pump(Socket from, Socket to) {
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] buffer = new byte[8_192];
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                out.write(buffer, 0, read);
                out.flush();
            }
        } catch (IOException e) {
            // one side closed
        }
    }

    private static void say(Socket to, String line) throws IOException {
        to.getOutputStream().write((line + "\r\n").getBytes(StandardCharsets.US_ASCII));
    }

    /** Reads byte by byte, since the following bytes must stay unread. */
    private static void readLine(InputStream in) throws IOException {
        for (int read = in.read(); read != '\n'; read = in.read()) {
            if (read < 0) {
                throw new IOException("closed");
            }
        }
    }

    @Override
    public void close() {
        try {
            listening.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
