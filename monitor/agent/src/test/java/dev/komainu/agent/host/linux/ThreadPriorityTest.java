package dev.komainu.agent.host.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Runs in a separate process: a thread that was lowered cannot get its policy back for other tests.
 */
class ThreadPriorityTest {

    @Test
    void lower_everyPresentAndFutureThread_isBatch() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Subject.class.getName())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(output).isEqualTo("changed true, normal 0, batch true\n");
    }

    /** The program started by the test. */
    static final class Subject {

        public static void main(String[] arguments) throws IOException, InterruptedException {
            int changed = ThreadPriority.lower();
            Thread later = new Thread(Subject::printPolicies);
            later.start();
            later.join();
            if (changed < 5) {
                System.out.println("changed " + changed);
            }
        }

        private static void printPolicies() {
            ProcFiles proc = ProcFiles.ofThisHost();
            int normal = 0;
            int batch = 0;
            for (long thread : proc.numbersIn("self/task")) {
                // Field 41, the 39th after the name: policy.
                String stat = proc.text("self/task/" + thread + "/stat");
                String policy = stat.substring(stat.lastIndexOf(')') + 2).split(" ")[38];
                normal += policy.equals("0") ? 1 : 0;
                batch += policy.equals("3") ? 1 : 0;
            }
            System.out.println("changed true, normal " + normal + ", batch " + (batch > 5));
        }
    }
}
