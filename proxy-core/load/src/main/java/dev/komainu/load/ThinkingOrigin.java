package dev.komainu.load;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The papers' origin (Polygraph's server): waits for a while, then sends an object of the size in
 * its path, {@code /object/ID/BYTES/keep} cacheable for two years, {@code …/fresh} not cacheable,
 * below any {@code /site/N}. One virtual thread per connection, so that four hundred waiting ones
 * cost little.
 */
@Command(
        name = "thinking-origin",
        description = "The origin of the experiments",
        sortOptions = false)
public final class ThinkingOrigin implements Callable<Integer> {

    private static final Pattern OBJECT = Pattern.compile(
            "GET (?:/site/[0-9]{1,5})?/object/[0-9]+/([0-9]{1,9})/(keep|fresh) HTTP/1\\.[01]");
    private static final int MAX_HEAD_BYTES = 16_384;
    private static final byte[] FILL = "komainu ".repeat(1_024).getBytes(StandardCharsets.US_ASCII);

    @Option(names = "--listen", required = true, description = "ADDRESS:PORT")
    String listen = "";

    @Option(
            names = "--think",
            description = "Seconds before each response, FROM-TO (${DEFAULT-VALUE})")
    String think = "1.5-4.5";

    @Option(
            names = "--keep-alive",
            description =
                    "Keep connections open for more requests; otherwise each is closed, as in 2000")
    boolean keepAlive;

    private int thinkFromMillis;
    private int thinkToMillis;

    public static void main(String[] args) {
        System.exit(new CommandLine(new ThinkingOrigin()).execute(args));
    }

    @Override
    public Integer call() throws IOException {
        int colon = listen.lastIndexOf(':');
        int dash = think.indexOf('-');
        InetSocketAddress address;
        try {
            thinkFromMillis =
                    (int) (Double.parseDouble(think.substring(0, Math.max(dash, 0))) * 1_000);
            thinkToMillis = (int) (Double.parseDouble(think.substring(dash + 1)) * 1_000);
            address = new InetSocketAddress(
                    InetAddress.ofLiteral(listen.substring(0, Math.max(colon, 0))),
                    Integer.parseInt(listen.substring(colon + 1)));
        } catch (IllegalArgumentException e) {
            System.err.println("--listen, --think: " + listen + ", " + think
                    + " (expected: ADDRESS:PORT, FROM-TO)");
            return 2;
        }
        try (ServerSocket listener = new ServerSocket()) {
            listener.bind(address, 4_096);
            System.out.println("listening on " + listener.getLocalSocketAddress());
            serve(listener);
            return 0;
        }
    }

    /** Serves until the listener is closed. */
    void serve(ServerSocket listener) throws IOException {
        while (true) {
            Socket client = listener.accept();
            Thread.startVirtualThread(() -> serve(client));
        }
    }

    private void serve(Socket client) {
        try (client) {
            client.setSoTimeout(120_000);
            client.setTcpNoDelay(true);
            InputStream in = new BufferedInputStream(client.getInputStream(), 4_096);
            do {
                String request = request(in);
                if (request.isEmpty()) {
                    return;
                }
                pause();
                respond(client, request);
            } while (keepAlive);
        } catch (IOException e) {
            // The proxy closed the connection; the monitor reports it.
            return;
        }
    }

    /**
     * Returns the request line, after reading the rest of the head; empty at the end of the
     * connection.
     */
    private static String request(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder(256);
        while (head.length() < 4 || head.lastIndexOf("\r\n\r\n") != head.length() - 4) {
            int c = in.read();
            if (c < 0 || head.length() > MAX_HEAD_BYTES) {
                return "";
            }
            head.append((char) c);
        }
        return head.substring(0, head.indexOf("\r\n"));
    }

    private void pause() throws IOException {
        if (thinkToMillis <= 0) {
            return;
        }
        try {
            Thread.sleep(ThreadLocalRandom.current().nextInt(thinkFromMillis, thinkToMillis + 1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private void respond(Socket client, String request) throws IOException {
        Matcher object = OBJECT.matcher(request);
        boolean found = object.matches();
        int bytes = found ? Integer.parseInt(object.group(1)) : 0;
        String cache =
                found && "keep".equals(object.group(2)) ? "public, max-age=63072000" : "no-store";
        byte[] head = ("HTTP/1.1 " + (found ? "200 OK" : "404 Not Found")
                        + "\r\nServer: komainu-thinking-origin\r\nDate: "
                        + DateTimeFormatter.RFC_1123_DATE_TIME.format(
                                ZonedDateTime.now(ZoneOffset.UTC))
                        + "\r\nContent-Type: text/plain\r\nCache-Control: " + cache
                        + "\r\nContent-Length: " + bytes
                        + (keepAlive ? "" : "\r\nConnection: close") + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
        byte[] first = new byte[head.length + Math.min(bytes, FILL.length)];
        System.arraycopy(head, 0, first, 0, head.length);
        System.arraycopy(FILL, 0, first, head.length, first.length - head.length);
        client.getOutputStream().write(first);
        for (int sent = first.length - head.length; sent < bytes; ) {
            int n = Math.min(FILL.length, bytes - sent);
            client.getOutputStream().write(FILL, 0, n);
            sent += n;
        }
    }
}
