package dev.komainu.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * What the launcher says when something is wrong: one clear line, with the command that mends it.
 */
class LauncherIT {

    @Test
    void up_consolePortTaken_saysWhichAndHowToMendAndStartsNothing() throws Exception {
        Path data = Files.createTempDirectory("komainu-launcher");
        try (ServerSocket taken = new ServerSocket()) {
            taken.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0));

            Said said =
                    komainu("up", "--data", data.toString(), "--ports", "" + taken.getLocalPort());

            assertThat(said.exit()).isEqualTo(1);
            assertThat(said.words())
                    .contains("port " + taken.getLocalPort() + " (CONSOLE) is in use")
                    .contains("Fix: ./komainu up --ports");
        }
        assertThat(data.resolve("up.env")).doesNotExist();
    }

    @Test
    void up_wrongValues_namesValueAndExpectation() throws Exception {
        assertThat(komainu("up", "--ports", "80"))
                .isEqualTo(new Said(2, "komainu: --ports: 80 (expected: 1024 to 65000)\n"));
        assertThat(komainu("up", "--once"))
                .isEqualTo(new Said(2, "komainu: --once: no value (expected one after it)\n"));
        assertThat(komainu("up", "--fast").words()).contains("--fast (unknown option");
    }

    @Test
    void unknownCommand_saysWhatThereIs() throws Exception {
        Said said = komainu("fly");

        assertThat(said.exit()).isEqualTo(2);
        assertThat(said.words()).contains("command: fly (expected: up, test, doctor");
    }

    @Test
    void backup_wrongPlaces_areNamedWithWhatWasExpected() throws Exception {
        Path data = Files.createTempDirectory("komainu-launcher");

        assertThat(komainu("backup").exit()).isEqualTo(2);
        Said noService = komainu("backup", data + "/to", "--data", data.toString());
        assertThat(noService.exit()).isEqualTo(1);
        assertThat(noService.words()).contains("expected: the central service's data directory");
        Said noBackup = komainu("backup", "--verify", data.toString());
        assertThat(noBackup.exit()).isEqualTo(1);
        assertThat(noBackup.words()).contains("no complete backup (expected: the file manifest)");
        Said notRestored = komainu("restore", data.toString(), "--data", data + "/new");
        assertThat(notRestored.exit()).isEqualTo(1);
        assertThat(data.resolve("new")).doesNotExist();
    }

    @Test
    void analyze_truncatedCapture_namesPlaceAndExpectationAfterWhatWasWhole() throws Exception {
        Path file = Files.createTempFile("cut", ".pcap");
        byte[] head = {
            (byte) 0xd4,
            (byte) 0xc3,
            (byte) 0xb2,
            (byte) 0xa1,
            2,
            0,
            4,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            -1,
            -1,
            0,
            0,
            1,
            0,
            0,
            0
        };
        Files.write(file, head);
        assertThat(komainu("analyze", file.toString(), "--json")).isEqualTo(new Said(0, ""));

        byte[] cut = java.util.Arrays.copyOf(
                head, head.length + 20); // a record's head, then 4 of its 64 bytes
        cut[head.length + 8] = 64;
        cut[head.length + 12] = 64;
        Files.write(file, cut);
        Said said = komainu("analyze", file.toString(), "--json");

        assertThat(said.exit()).isEqualTo(1);
        assertThat(said.words()).contains("Malformed capture").contains("at byte ");
    }

    @Test
    void parts_wrongSettings_areToldAtOnceWithoutATrace() throws Exception {
        Said proxy = komainu(
                "proxy",
                "--listen",
                "nowhere",
                "--memory",
                "lots",
                "--origin",
                "http://127.0.0.1:1");

        assertThat(proxy.exit()).isEqualTo(2);
        assertThat(proxy.words())
                .contains("nowhere")
                .contains("lots")
                .contains("expected")
                .doesNotContain("\tat ");

        Said agent = komainu("agent", "--snaplen", "3", "--buffer", "tiny");

        assertThat(agent.exit()).isEqualTo(2);
        assertThat(agent.words()).contains("tiny").contains("expected").doesNotContain("\tat ");

        Said central = komainu(
                "central",
                "--komainu.colour=red",
                "--komainu.data=" + Files.createTempDirectory("c"));

        assertThat(central.exit()).isEqualTo(1);
        assertThat(central.words()).contains("komainu.colour").doesNotContain("\tat ");
    }

    private record Said(int exit, String words) {}

    private static Said komainu(String... arguments) throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of(Platform.ROOT.resolve("komainu").toString()));
        command.addAll(List.of(arguments));
        Path words = Files.createTempFile("komainu-said", ".txt");
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(words.toFile());
        builder.environment().put("KOMAINU_BUILT", "yes");
        Process process = builder.start();
        if (!process.waitFor(180, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError(
                    command + " did not end within 180 s: " + Files.readString(words));
        }
        return new Said(process.exitValue(), Files.readString(words));
    }
}
