package dev.komainu.central.audit.outside;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ServerSocketFactory;

/**
 * A syslog server: datagrams (RFC 5426), or connections with octet counting (RFC 6587, RFC 5425).
 * It accepts messages of RFC 5424 only.
 */
final class SyslogServer implements AutoCloseable {

    /**
     * A message in its parts.
     *
     * @param parameters of its only structured element, without their escapes
     */
    record Message(
            int priority,
            OffsetDateTime at,
            String host,
            String application,
            String id,
            String element,
            Map<String, String> parameters,
            String text) {}

    private static final Pattern FORM = Pattern.compile(
            "<([0-9]{1,3})>1 (\\S+) (\\S{1,255}) (\\S{1,48}) ([0-9]{1,128}) (\\S{1,32}) "
                    + "\\[([!-~&&[^=\\]\"]]{1,32})((?: [!-~&&[^=\\]\"]]{1,32}=\"(?:[^\"\\\\\\]]++|\\\\.)*+\")*+)\\](?: (.*))?",
            Pattern.DOTALL);
    private static final Pattern PARAMETER =
            Pattern.compile(" ([^=]+)=\"((?:[^\"\\\\\\]]++|\\\\.)*+)\"", Pattern.DOTALL);

    final BlockingQueue<Message> messages = new LinkedBlockingQueue<>();
    final BlockingQueue<String> malformed = new LinkedBlockingQueue<>();
    private final String scheme;
    private final AutoCloseable socket;
    private final int port;
    private volatile Socket open;

    private SyslogServer(String scheme, AutoCloseable socket, int port) {
        this.scheme = scheme;
        this.socket = socket;
        this.port = port;
    }

    static SyslogServer datagrams() throws IOException {
        DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        SyslogServer server = new SyslogServer("udp", socket, socket.getLocalPort());
        Thread.ofVirtual().start(() -> {
            byte[] buffer = new byte[65_535];
            while (!socket.isClosed()) {
                try {
                    DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
                    socket.receive(packet);
                    server.accept(Arrays.copyOf(buffer, packet.getLength()));
                } catch (IOException e) {
                    return;
                }
            }
        });
        return server;
    }

    static SyslogServer connections(String scheme, ServerSocketFactory factory, int port)
            throws IOException {
        ServerSocket socket =
                factory.createServerSocket(port, 10, InetAddress.getLoopbackAddress());
        SyslogServer server = new SyslogServer(scheme, socket, socket.getLocalPort());
        Thread.ofVirtual().start(() -> {
            while (!socket.isClosed()) {
                try (Socket connection = socket.accept()) {
                    server.open = connection;
                    server.serve(new DataInputStream(connection.getInputStream()));
                } catch (IOException e) {
                    // the client's end, or a handshake that failed
                }
            }
        });
        return server;
    }

    private void serve(DataInputStream in) throws IOException {
        while (true) {
            int length = 0;
            for (int c = in.read(); c != ' '; c = in.read()) {
                if (c < '0' || c > '9') {
                    if (c >= 0) {
                        malformed.add("octet count: " + c);
                    }
                    throw new EOFException();
                }
                length = 10 * length + c - '0';
            }
            accept(in.readNBytes(length));
        }
    }

    private void accept(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            malformed.add(text);
            return;
        }
        Map<String, String> parameters = new LinkedHashMap<>();
        Matcher each = PARAMETER.matcher(form.group(8));
        while (each.find()) {
            parameters.put(each.group(1), each.group(2).replaceAll("\\\\([\"\\\\\\]])", "$1"));
        }
        messages.add(new Message(
                Integer.parseInt(form.group(1)),
                OffsetDateTime.parse(form.group(2)),
                form.group(3),
                form.group(4),
                form.group(6),
                form.group(7),
                parameters,
                form.group(9)));
    }

    Message next() throws InterruptedException {
        Message message = messages.poll(60, TimeUnit.SECONDS);
        if (message == null) {
            throw new AssertionError("No message; malformed: " + malformed);
        }
        return message;
    }

    URI address() {
        return URI.create(scheme + "://127.0.0.1:" + port);
    }

    int port() {
        return port;
    }

    /** Ends the open connection and the listening socket. */
    @Override
    public void close() throws Exception {
        socket.close();
        Socket connection = open;
        if (connection != null) {
            connection.close();
        }
    }
}
