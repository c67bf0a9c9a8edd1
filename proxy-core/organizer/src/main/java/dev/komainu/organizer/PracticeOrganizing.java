package dev.komainu.organizer;

import dev.komainu.settings.SettingMistakesException;
import dev.komainu.settings.SettingReader;
import dev.komainu.settings.SettingsFile;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;

/**
 * The training run of the organizer: two organizers on loopback that find each other, and simulated
 * clients that request pages of one member's simulated server from the other member, all in this
 * process.
 *
 * <p>The build runs it once. The JVM records the needed classes and the hot methods, and later
 * starts use this record (JEP 483, 514 and 515). Half of an organizer's start time is class
 * loading.
 *
 * <pre>PracticeOrganizing SECONDS</pre>
 */
final class PracticeOrganizing {

    private static final int CLIENTS = 8;
    private static final int BODY_BYTES = 10_000;

    @SuppressWarnings("StringConcatToTextBlock") // the line ends are CR LF
    private static final byte[] REQUEST =
            ("GET /page HTTP/1.1\r\nHost: practice.example\r\nUser-Agent: practice/1.0\r\nAccept: text/html,*/*;q=0.8\r\n"
                            + "Accept-Encoding: gzip, br\r\n\r\n")
                    .getBytes(StandardCharsets.ISO_8859_1);

    private PracticeOrganizing() {}

    public static void main(String[] args)
            throws IOException, SettingMistakesException, InterruptedException {
        System.out.println("Practised with " + practise((long) (Double.parseDouble(args[0]) * 1000))
                + " requests");
        System.exit(0); // threads of libraries may still run
    }

    /**
     * Sends requests for the given time, then closes everything.
     *
     * @return number of answered requests
     * @throws IOException when loopback cannot be used, or a response does not arrive
     */
    static long practise(long millis)
            throws IOException, SettingMistakesException, InterruptedException {
        Path directory = Files.createTempDirectory("komainu-practice");
        Path secret = directory.resolve("secret");
        byte[] random = new byte[32];
        new SecureRandom().nextBytes(random);
        Files.writeString(secret, Base64.getEncoder().encodeToString(random));
        try (ServerSocket server = new ServerSocket(0, 64, InetAddress.getLoopbackAddress())) {
            Thread.ofPlatform().daemon().start(() -> serve(server));
            int seed = freePort();
            String serves = "[{prefix: practice.example/, server: \"127.0.0.1:"
                    + server.getLocalPort() + "\"}]";
            int front = freePort();
            Path farFile = directory.resolve("far.yaml");
            Files.writeString(farFile, settings("far", seed, freePort(), seed, secret, serves));
            Path nearFile = directory.resolve("near.yaml");
            Files.writeString(nearFile, settings("near", freePort(), front, seed, secret, "[]"));
            new CommandLine(new OrganizerServer())
                    .execute("--config", nearFile.toString(), "--check");
            try (Organizer far = Organizer.start(read(farFile));
                    Organizer near = Organizer.start(read(nearFile))) {
                long asked = crowd(front, millis);
                near.drain(true);
                far.drain(true);
                return asked;
            }
        } finally {
            for (String file : new String[] {"secret", "far.yaml", "near.yaml"}) {
                Files.deleteIfExists(directory.resolve(file));
            }
            Files.deleteIfExists(directory);
        }
    }

    private static String settings(
            String member, int port, int front, int seed, Path secret, String serves)
            throws IOException {
        return String.format(
                Locale.ROOT, """
                member: %s
                cluster: practice
                listen: 127.0.0.1:%d
                line: 127.0.0.1:%d
                front: {listen: "127.0.0.1:%d"}
                secret-file: %s
                meet: {seeds: ["127.0.0.1:%d"]}
                control: {listen: none}
                serve: %s
                """, member, port, freePort(), front, secret, seed, serves);
    }

    private static OrganizerSettings read(Path file) throws SettingMistakesException {
        return OrganizerSettings.read(new SettingReader(List.of(SettingsFile.read(file))));
    }

    /** Returns a port that was free a moment ago. */
    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /**
     * Sends one request for each client, then reads all responses. The first responses are 404,
     * until the two members know each other.
     */
    private static long crowd(int port, long millis) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        long answered = 0;
        Socket[] clients = new Socket[CLIENTS];
        try {
            for (int i = 0; i < CLIENTS; i++) {
                clients[i] = new Socket(InetAddress.getLoopbackAddress(), port);
                clients[i].setTcpNoDelay(true);
                clients[i].setSoTimeout(10_000);
            }
            DataInputStream[] inputs = new DataInputStream[CLIENTS];
            for (int i = 0; i < CLIENTS; i++) {
                inputs[i] = new DataInputStream(
                        new BufferedInputStream(clients[i].getInputStream(), 1 << 16));
            }
            do {
                for (Socket client : clients) {
                    client.getOutputStream().write(REQUEST);
                }
                for (DataInputStream in : inputs) {
                    answered += readResponse(in) ? 1 : 0;
                }
            } while (System.nanoTime() - deadline < 0);
            return answered;
        } finally {
            for (Socket client : clients) {
                if (client != null) {
                    client.close();
                }
            }
        }
    }

    /** Reads a response and reports whether it is the page. */
    private static boolean readResponse(DataInputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n", Math.max(0, head.length() - 4)) < 0) {
            head.append((char) in.readUnsignedByte());
        }
        int start = head.indexOf("ontent-");
        int length = 0;
        for (String line : head.substring(Math.max(0, start - 1)).split("\r\n")) {
            if (line.regionMatches(true, 0, "content-length: ", 0, 16)) {
                length = Integer.parseInt(line.substring(16).strip());
            }
        }
        in.skipNBytes(length);
        return length == BODY_BYTES;
    }

    private static void serve(ServerSocket server) {
        byte[] response =
                ("HTTP/1.1 200 OK\r\nServer: practice\r\nContent-Type: text/html; charset=utf-8\r\nETag: \"practice\"\r\n"
                                + "Cache-Control: no-store\r\nContent-Length: " + BODY_BYTES
                                + "\r\n\r\n"
                                + "x".repeat(BODY_BYTES))
                        .getBytes(StandardCharsets.ISO_8859_1);
        while (!server.isClosed()) {
            try {
                Socket connection = server.accept();
                Thread.ofPlatform().daemon().start(() -> respond(connection, response));
            } catch (IOException e) {
                return; // the run has ended
            }
        }
    }

    private static void respond(Socket connection, byte[] response) {
        try (connection) {
            connection.setTcpNoDelay(true);
            InputStream in = new BufferedInputStream(connection.getInputStream());
            OutputStream out = connection.getOutputStream();
            int last = 0;
            for (int c = in.read(); c >= 0; c = in.read()) {
                // The end of a head: CR LF CR LF.
                last = last << 8 | c;
                if (last == 0x0D0A0D0A) {
                    out.write(response);
                }
            }
        } catch (IOException e) {
            // The organizer closed the connection first.
        }
    }
}
