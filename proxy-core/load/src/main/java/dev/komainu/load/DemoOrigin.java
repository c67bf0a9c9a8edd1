package dev.komainu.load;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The demo's server where neither Apache nor nginx is installed: a fixed number of threads, each
 * serving one connection at a time (type 3 of the thesis's table 6.1). Under a high load all
 * threads are busy, and clients wait in the listen queue. Serves {@code /page/N.html} from a
 * directory, and {@code /app/…} after 0.2 s of waiting.
 */
@Command(
        name = "demo-origin",
        description = "A web server with few threads, for ./komainu up --demo")
public final class DemoOrigin implements Callable<Integer> {

    private static final Pattern PAGE = Pattern.compile("/page/([0-9]{1,4})\\.html");
    private static final int APPLICATION_MILLIS = 200;

    @Option(names = "--port", required = true, description = "Port on 127.0.0.1")
    int port;

    @Option(names = "--workers", description = "Threads, 1 to 256 (default: ${DEFAULT-VALUE})")
    int workers = 8;

    @Option(
            names = "--root",
            required = true,
            description = "Directory with the subdirectory page/")
    Path root = Path.of(".");

    public static void main(String[] args) {
        System.exit(new CommandLine(new DemoOrigin()).execute(args));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        try (ServerSocket listener =
                new ServerSocket(port, 511, InetAddress.getLoopbackAddress())) {
            Thread[] threads = new Thread[workers];
            for (int i = 0; i < workers; i++) {
                threads[i] = Thread.ofPlatform().name("worker-" + i).start(() -> serve(listener));
            }
            for (Thread thread : threads) {
                thread.join();
            }
        }
        return 0;
    }

    private void serve(ServerSocket listener) {
        while (!listener.isClosed()) {
            try (Socket client = listener.accept()) {
                client.setSoTimeout(10_000);
                respond(client);
            } catch (IOException e) {
                // The client closed the connection; the next one is waiting.
            }
        }
    }

    private void respond(Socket client) throws IOException {
        BufferedReader in = new BufferedReader(
                new InputStreamReader(client.getInputStream(), StandardCharsets.US_ASCII));
        String request = in.readLine();
        for (String line = request; line != null && !line.isEmpty(); line = in.readLine()) {
            // The header fields are skipped.
        }
        String[] words = request == null ? new String[0] : request.split(" ");
        String path = words.length == 3 ? words[1] : "";
        var page = PAGE.matcher(path);
        if (path.startsWith("/app/")) {
            pause();
            send(
                    client,
                    "200 OK",
                    "no-store",
                    "<!doctype html><title>answer</title>\n".getBytes(StandardCharsets.US_ASCII));
        } else if (page.matches()
                && Files.isReadable(root.resolve("page/" + page.group(1) + ".html"))) {
            send(
                    client,
                    "200 OK",
                    "public, max-age=60",
                    Files.readAllBytes(root.resolve("page/" + page.group(1) + ".html")));
        } else {
            send(
                    client,
                    "404 Not Found",
                    "no-store",
                    "not here\n".getBytes(StandardCharsets.US_ASCII));
        }
    }

    /** Imitates an application that waits for its database: the thread is busy, the CPU is idle. */
    private static void pause() throws IOException {
        try {
            Thread.sleep(APPLICATION_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private static void send(Socket client, String status, String cacheControl, byte[] body)
            throws IOException {
        String head = "HTTP/1.1 " + status + "\r\nServer: komainu-demo-origin\r\nDate: "
                + java.time.format.DateTimeFormatter.RFC_1123_DATE_TIME.format(
                        java.time.ZonedDateTime.now(java.time.ZoneOffset.UTC))
                + "\r\nContent-Type: text/html\r\nCache-Control: "
                + cacheControl + "\r\nContent-Length: " + body.length
                + "\r\nConnection: close\r\n\r\n";
        OutputStream out = client.getOutputStream();
        byte[] headBytes = head.getBytes(StandardCharsets.US_ASCII);
        byte[] responseBytes = new byte[headBytes.length + body.length];
        System.arraycopy(headBytes, 0, responseBytes, 0, headBytes.length);
        System.arraycopy(body, 0, responseBytes, headBytes.length, body.length);
        out.write(responseBytes);
        client.shutdownOutput();
    }
}
