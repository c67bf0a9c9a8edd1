package dev.komainu.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Tests of command-line options that are created from declarations. */
class SettingOptionsTest {

    private enum Half {
        BOTH,
        LEFT_ONLY,
        RIGHT_ONLY
    }

    private static final Setting<Duration> WAIT = Setting.duration("wait", "0", "1m")
            .byDefault("1s")
            .option("--wait")
            .effect("Longest `wait`, to 100 %")
            .detail("See [Waiting](#waiting).");
    private static final Setting<Boolean> LOUD =
            Setting.truth("loud").byDefault("false").option("--loud").effect("Whether it is loud");
    private static final Setting<List<Integer>> PORTS =
            Setting.integer("ports", 1, 100).words().option("--port").effect("Ports to open");
    private static final Setting<String> PLACE = Setting.text("place", "a place")
            .byDefault("here")
            .option("--place")
            .label("WHERE")
            .withoutValue("there")
            .effect("Place to start");
    private static final Setting<Half> HALF = Setting.choice("half", Half.class)
            .byDefault("both")
            .option("--left-only", "--right-only")
            .effect("Half that runs");

    private record Read(
            Duration pause, boolean loud, List<Integer> ports, String place, Half half) {

        static Read of(SettingReader reader) throws SettingMistakesException {
            Read read = new Read(
                    reader.get(WAIT),
                    reader.get(LOUD),
                    reader.get(PORTS, List.of()),
                    reader.get(PLACE),
                    reader.get(HALF));
            reader.refuseUnknown();
            reader.finish();
            return read;
        }
    }

    @Command(name = "test", sortOptions = false)
    private static final class Tested implements Callable<Integer> {

        @Mixin
        private final SettingOptions options =
                new SettingOptions(SettingReader.declared(Read::of), () -> "Tested 1");

        private final List<Read> checked = new ArrayList<>();
        private final List<Read> served = new ArrayList<>();

        @Override
        public Integer call() throws Exception {
            options.run(
                    SettingSource.environment(Map.of("T_WAIT", "3s", "T_PLACE", "anywhere"), "T_"),
                    Read::of,
                    checked::add,
                    configuration -> served.add(configuration.settings()));
            return 0;
        }
    }

    private static Read read(String... arguments) throws Exception {
        Tested tested = new Tested();
        new CommandLine(tested).parseArgs(arguments);
        tested.call();
        assertThat(tested.checked).isEmpty();
        return tested.served.getFirst();
    }

    @TempDir
    Path directory;

    @Test
    void options_winOverTheEnvironment_whichWinsOverTheFile() throws Exception {
        Path file =
                Files.writeString(directory.resolve("a.yaml"), "wait: 5s\nports: [7]\nloud: yes\n");
        assertThat(read("--config", file.toString()))
                .isEqualTo(
                        new Read(Duration.ofSeconds(3), true, List.of(7), "anywhere", Half.BOTH));
        assertThat(read("--config", file.toString(), "--wait", "2s", "--port=8"))
                .isEqualTo(
                        new Read(Duration.ofSeconds(2), true, List.of(8), "anywhere", Half.BOTH));
    }

    @Test
    void lists_areRepeatable_withCommasAndBlanks() throws Exception {
        assertThat(read("--port", "1,2", "3", "--loud", "--port=4").ports())
                .containsExactly(1, 2, 3, 4);
        assertThatThrownBy(() -> read("--wait", "1s", "--wait", "2s"))
                .isInstanceOf(CommandLine.ParameterException.class);
    }

    @Test
    void value_mayBeLeftOut_whereTheDeclarationAllowsIt() throws Exception {
        assertThat(read("--place").place()).isEqualTo("there");
        assertThat(read("--place", "--loud"))
                .matches(read -> read.loud() && read.place().equals("there"));
        assertThat(read("--place=home").place()).isEqualTo("home");
        assertThatThrownBy(() -> read("--wait")).hasMessageContaining("Missing required parameter");
    }

    @Test
    void severalOptionsOfASetting_eachSetsTheValueOfItsName_twoAreAMistake() throws Exception {
        assertThat(read("--left-only").half()).isEqualTo(Half.LEFT_ONLY);
        assertThat(read("--right-only").half()).isEqualTo(Half.RIGHT_ONLY);
        assertThatThrownBy(() -> read("--right-only", "--left-only", "--wait=2h"))
                .hasMessage("wait: 2h in --wait (expected: 0 to 1m)\n"
                        + "half: right-only and left-only in --left-only, --right-only"
                        + " (expected: one of both, left-only, right-only)");
    }

    @Test
    void check_doesNotServe() throws Exception {
        Tested tested = new Tested();
        new CommandLine(tested).parseArgs("--check", "--loud");
        tested.call();
        assertThat(tested.checked).hasSize(1).allMatch(Read::loud);
        assertThat(tested.served).isEmpty();
    }

    @Test
    void help_hasTheEffectWithoutMarkdown_andTheDefault_withoutTheDetail() {
        assertThat(new CommandLine(new Tested()).getUsageMessage())
                .containsSubsequence(
                        "--wait=DURATION    Longest wait, to 100 % (default: 1s)\n",
                        "--loud             Whether it is loud\n",
                        "--port=N...        Ports to open\n",
                        "--place[=WHERE]    Place to start (default: here)\n",
                        "--left-only        Sets half to left-only. Half that runs\n",
                        "--config=FILE",
                        "--check");
    }
}
