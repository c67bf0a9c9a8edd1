package dev.komainu.organizer.service;

import static dev.komainu.telemetry.kit.FreePort.freePort;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.komainu.organizer.service.ServedAddresses.Served;
import dev.komainu.organizer.service.ServiceCounts.Kind;
import dev.komainu.telemetry.kit.Program;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Real servers and real clients through two organizers: vsftpd and curl, OpenSSL, omniORB,
 * WebSocket. Servers listen at 127.0.0.2, entries at 127.0.0.1, so a connection that bypasses the
 * line is detected.
 */
class RealPeersTest {

    private static final String SERVER = "127.0.0.2";

    @TempDir
    Path directory;

    private final List<Process> started = new ArrayList<>();
    private TwoOrganizers two;

    @AfterEach
    void tearDown() throws Exception {
        for (Process one : started) {
            one.destroyForcibly().waitFor();
        }
        if (two != null) {
            two.close();
        }
    }

    private static String program(String name) {
        return Program.need(name).toString();
    }

    private Process start(String... command) throws IOException {
        Process made = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(File.createTempFile("out", ".log", directory.toFile()))
                .start();
        started.add(made);
        return made;
    }

    private Process server(int port, String... command) throws IOException {
        Process made = start(command);
        await().atMost(Duration.ofSeconds(60)).until(() -> {
            assertThat(made.isAlive()).as("%s", Arrays.toString(command)).isTrue();
            try (Socket socket = new Socket(SERVER, port)) {
                return socket.isConnected();
            } catch (IOException e) {
                return false;
            }
        });
        return made;
    }

    /** Returns the output, with errors. */
    private byte[] run(byte[] input, String... command) throws Exception {
        Path out = directory.resolve("answer");
        Path in = Files.write(directory.resolve("input"), input);
        Process made = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectInput(in.toFile())
                .redirectOutput(out.toFile())
                .start();
        started.add(made);
        assertThat(made.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return Files.readAllBytes(out);
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    // FTP.

    private ServiceEntries.OpenEntry ftp() throws Exception {
        String vsftpd = program("vsftpd");
        int port = freePort(InetAddress.getByName(SERVER));
        Path root = Files.createDirectories(directory.resolve("ftp"));
        Path upload = Files.createDirectories(root.resolve("in"));
        Files.createDirectories(directory.resolve("empty"));
        Files.write(root.resolve("blob"), random(3_000_001));
        // The user of vsftpd must be able to write there, and only there.
        upload.toFile().setWritable(true, false);
        for (Path each = root;
                each != null && each.startsWith(directory);
                each = each.getParent()) {
            each.toFile().setReadable(true, false);
            each.toFile().setExecutable(true, false);
        }
        Path settings = Files.writeString(
                directory.resolve("vsftpd.conf"),
                String.format(Locale.ROOT, """
                listen=YES
                listen_address=%s
                listen_port=%d
                background=NO
                run_as_launching_user=YES
                anonymous_enable=YES
                no_anon_password=YES
                local_enable=NO
                anon_root=%s
                allow_writeable_chroot=YES
                write_enable=YES
                anon_upload_enable=YES
                anon_umask=022
                connect_from_port_20=NO
                pasv_promiscuous=NO
                port_promiscuous=NO
                secure_chroot_dir=%s
                seccomp_sandbox=NO
                use_localtime=NO
                xferlog_enable=NO
                """, SERVER, port, root, directory.resolve("empty")));
        settings.toFile().setWritable(false, false);
        server(port, vsftpd, settings.toString());
        two = new TwoOrganizers(false, new Served("ftp.test", 21, SERVER, port));
        return two.open(ServiceProtocol.FTP, "ftp.test:21");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--disable-epsv",
                "--disable-eprt --ftp-port -",
                "--ftp-port -",
                "--no-ftp-skip-pasv-ip",
                "--ssl"
            })
    void ftp_filesOfVsftpdByCurl_bothWays_areByteExact(String how) throws Exception {
        ServiceEntries.OpenEntry entry = ftp();
        String url = "ftp://127.0.0.1:" + entry.listens().getPort() + "/";
        byte[] mine = random(2_000_003);
        Path sent = Files.write(directory.resolve("mine"), mine);
        Path got = directory.resolve("got");
        List<String> command = new ArrayList<>(List.of(program("curl")));
        // One control connection: list, fetch, send, fetch again.
        for (List<String> next : List.of(
                List.of("-o", directory + "/list", url),
                List.of("--next", "-o", got.toString(), url + "blob"),
                List.of("--next", "-T", sent.toString(), url + "in/mine"),
                List.of("--next", "-o", directory + "/back", url + "in/mine"))) {
            command.addAll(next);
            command.addAll(List.of("-sS", "-v", "--max-time", "50"));
            command.addAll(List.of(how.split(" ")));
        }
        String said = new String(run(new byte[0], command.toArray(String[]::new)));
        assertThat(got).as(said).exists();
        assertThat(Files.readAllBytes(got)).isEqualTo(random(3_000_001));
        assertThat(directory.resolve("ftp/in/mine")).as(said).exists();
        assertThat(Files.readAllBytes(directory.resolve("ftp/in/mine"))).isEqualTo(mine);
        assertThat(Files.readAllBytes(directory.resolve("back"))).isEqualTo(mine);
        assertThat(Files.readString(directory.resolve("list"))).contains("blob");
        assertThat(entry.counts().of(Kind.DATA)).as(said).isEqualTo(4);
        assertThat(said).doesNotContain(SERVER);
        if (how.equals("--ssl")) {
            assertThat(entry.counts().of(ServiceRefusal.ENCRYPTION)).isPositive();
        }
    }

    // TLS.

    @Test
    void tls_twoNamesAtOneEntry_eachReachesItsOwnUndecrypted() throws Exception {
        String openssl = program("openssl");
        run(
                new byte[0],
                openssl,
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:P-256",
                "-nodes",
                "-keyout",
                "key.pem",
                "-out",
                "cert.pem",
                "-subj",
                "/CN=test",
                "-days",
                "2");
        int[] ports = new int[2];
        for (int i = 0; i < 2; i++) {
            ports[i] = freePort(InetAddress.getByName(SERVER));
            Path place = Files.createDirectories(directory.resolve("site" + i));
            Files.write(place.resolve("blob"), random(1_000_000 + i));
            Process made = new ProcessBuilder(
                            openssl,
                            "s_server",
                            "-accept",
                            SERVER + ":" + ports[i],
                            "-cert",
                            "../cert.pem",
                            "-key",
                            "../key.pem",
                            "-WWW",
                            "-quiet")
                    .directory(place.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(place.resolve("log").toFile())
                    .start();
            started.add(made);
            int port = ports[i];
            await().until(() -> {
                try (Socket socket = new Socket(SERVER, port)) {
                    return socket.isConnected();
                } catch (IOException e) {
                    return false;
                }
            });
        }
        two = new TwoOrganizers(
                false,
                new Served("a.test", 443, SERVER, ports[0]),
                new Served("b.test", 443, SERVER, ports[1]));
        ServiceEntries.OpenEntry entry = two.open(ServiceProtocol.TLS, "*:443");
        String at = "127.0.0.1:" + entry.listens().getPort();
        for (int i = 0; i < 2; i++) {
            byte[] answer = run(
                    "GET /blob HTTP/1.0\r\n\r\n"
                            .getBytes(java.nio.charset.StandardCharsets.US_ASCII),
                    openssl,
                    "s_client",
                    "-quiet",
                    "-connect",
                    at,
                    "-servername",
                    i == 0 ? "a.test" : "B.Test");
            byte[] blob = random(1_000_000 + i);
            assertThat(answer.length).isGreaterThan(blob.length);
            assertThat(Arrays.copyOfRange(answer, answer.length - blob.length, answer.length))
                    .isEqualTo(blob);
        }
        String nameless =
                new String(run(new byte[0], openssl, "s_client", "-connect", at, "-noservername"));
        assertThat(nameless).contains("unrecognized name");
        String unknown = new String(
                run(new byte[0], openssl, "s_client", "-connect", at, "-servername", "c.test"));
        assertThat(unknown).contains("unrecognized name");
        assertThat(entry.counts().of(ServiceRefusal.NO_NAME)).isOne();
        assertThat(entry.counts().of(ServiceRefusal.NO_ROUTE)).isOne();
    }

    // IIOP.

    @Test
    void iiop_omniNamesAndItsClient_referencesLeadThroughTheLine() throws Exception {
        String names = program("omniNames");
        String client = program("nameclt");
        int port = freePort(InetAddress.getByName(SERVER));
        Files.createDirectories(directory.resolve("names"));
        server(
                port,
                names,
                "-start",
                "-always",
                "-logdir",
                directory.resolve("names").toString(),
                "-ORBendPoint",
                "giop:tcp:" + SERVER + ":" + port,
                "-ignoreport");
        two = new TwoOrganizers(false, new Served("naming.test", 2809, SERVER, port));
        ServiceEntries.OpenEntry entry = two.open(ServiceProtocol.IIOP, "naming.test:2809");
        String here = "127.0.0.1:" + entry.listens().getPort();
        String[] by = {
            client,
            "-ORBInitRef",
            "NameService=corbaloc::" + here + "/NameService",
            "-ORBtraceLevel",
            "25"
        };
        String made = orb(by, "bind_new_context", "shop");
        String resolved = orb(by, "resolve", "shop");
        // Uses the resolved context, at the address in its reference.
        String inner = orb(by, "bind_new_context", "shop/prices");
        String listed = orb(by, "list", "shop");
        assertThat(listed).contains("prices/");
        for (String said : List.of(made, resolved, inner, listed)) {
            assertThat(said)
                    .contains("127.0.0.1:" + entry.listens().getPort())
                    .doesNotContain(SERVER);
        }
        String reference = Arrays.stream(resolved.split("\\R"))
                .filter(line -> line.startsWith("IOR:"))
                .findFirst()
                .orElseThrow();
        assertThat(new String(run(new byte[0], program("catior"), reference)))
                .contains("127.0.0.1")
                .contains(Integer.toString(entry.listens().getPort()))
                .doesNotContain(SERVER);
        assertThat(entry.counts().of(Kind.REFERENCES)).isPositive();
        assertThat(entry.counts().of(Kind.UNREAD_MESSAGES)).isZero();
    }

    private String orb(String[] by, String... what) throws Exception {
        List<String> command = new ArrayList<>(List.of(by));
        command.addAll(List.of(what));
        return new String(run(new byte[0], command.toArray(String[]::new)));
    }

    // WebSocket.

    @Test
    void webSocket_echoOfWhatJavaSends_isByteExact() throws Exception {
        String python = program("python3");
        assumeTrue(
                new ProcessBuilder(python, "-c", "import websockets").start().waitFor() == 0,
                "websockets of Python: not found (expected: apt-get install python3-websockets)");
        int port = freePort(InetAddress.getByName(SERVER));
        server(port, python, "-c", String.format(Locale.ROOT, """
                import asyncio, websockets
                async def echo(socket, *rest):
                    async for message in socket:
                        await socket.send(message)
                async def main():
                    async with websockets.serve(echo, "%s", %d, max_size=None):
                        await asyncio.Future()
                asyncio.run(main())
                """, SERVER, port));
        two = new TwoOrganizers(false, new Served("chat.test", 9000, SERVER, port));
        ServiceEntries.OpenEntry entry = two.open(ServiceProtocol.TCP, "chat.test:9000");
        byte[] said = random(1_500_000);
        CompletableFuture<byte[]> heard = new CompletableFuture<>();
        ByteBuffer all = ByteBuffer.allocate(said.length);
        try (HttpClient client = HttpClient.newHttpClient()) {
            WebSocket socket = client.newWebSocketBuilder()
                    .buildAsync(
                            URI.create("ws://127.0.0.1:" + entry.listens().getPort() + "/"),
                            new WebSocket.Listener() {
                                @Override
                                public CompletionStage<?> onBinary(
                                        WebSocket from, ByteBuffer data, boolean last) {
                                    all.put(data);
                                    if (last) {
                                        heard.complete(all.array());
                                    }
                                    from.request(1);
                                    return CompletableFuture.completedStage(null);
                                }
                            })
                    .get(60, TimeUnit.SECONDS);
            socket.sendBinary(ByteBuffer.wrap(said), true).get(60, TimeUnit.SECONDS);
            assertThat(heard.get(60, TimeUnit.SECONDS)).isEqualTo(said);
            socket.abort();
        }
    }
}
