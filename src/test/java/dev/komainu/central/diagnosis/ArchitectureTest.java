package dev.komainu.central.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.diagnosis.Architecture.ServedBy;
import dev.komainu.central.indices.Scenario;
import dev.komainu.central.indices.ScenarioRun;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Tests of table 6.1 for every known kind of server, and for an unknown kind. */
class ArchitectureTest {

    /**
     * A server to classify.
     *
     * @param type of table 6.1; 0: cannot be determined
     */
    private record Server(
            String name,
            String kind,
            String settings,
            String processes,
            String threads,
            String connections,
            int type,
            ServedBy by,
            Decision.Level level) {}

    @TestFactory
    Stream<DynamicTest> everyServer_isOfItsType() {
        return Stream.of(
                        new Server(
                                "prefork",
                                "apache",
                                "MPM: prefork",
                                "11",
                                "11",
                                "10",
                                5,
                                ServedBy.WORKERS,
                                Decision.Level.HIGH),
                        new Server(
                                "worker",
                                "apache",
                                "MPM: worker",
                                "4",
                                "104",
                                "60",
                                7,
                                ServedBy.WORKERS,
                                Decision.Level.HIGH),
                        new Server(
                                "event",
                                "apache",
                                "MPM: event",
                                "4",
                                "108",
                                "300",
                                8,
                                ServedBy.WORKERS,
                                Decision.Level.HIGH),
                        new Server(
                                "gunicorn of one worker",
                                "gunicorn",
                                "workers: 1, worker_class: sync",
                                "2",
                                "2",
                                "10",
                                1,
                                ServedBy.WORKERS,
                                Decision.Level.HIGH),
                        new Server(
                                "gunicorn of threads",
                                "gunicorn",
                                "workers: 4, threads: 8, worker_class: gthread",
                                "5",
                                "30",
                                "60",
                                8,
                                ServedBy.WORKERS,
                                Decision.Level.HIGH),
                        new Server(
                                "gunicorn of greenlets",
                                "gunicorn",
                                "workers: 4, worker_class: gevent",
                                "5",
                                "5",
                                "600",
                                6,
                                ServedBy.LOOPS,
                                Decision.Level.HIGH),
                        new Server(
                                "php-fpm",
                                "php-fpm",
                                "pm.max_children: 20",
                                "9",
                                "9",
                                "8",
                                5,
                                ServedBy.WORKERS,
                                Decision.Level.HIGH),
                        new Server(
                                "uwsgi of threads",
                                "uwsgi",
                                "processes: 2, threads: 4",
                                "3",
                                "11",
                                "8",
                                7,
                                ServedBy.WORKERS,
                                Decision.Level.HIGH),
                        new Server(
                                "prefork with threads",
                                "apache",
                                "MPM: prefork",
                                "4",
                                "108",
                                "30",
                                5,
                                ServedBy.WORKERS,
                                Decision.Level.MEDIUM),
                        new Server(
                                "untold apache",
                                "apache",
                                "Timeout: 60",
                                "4",
                                "108",
                                "30",
                                8,
                                ServedBy.WORKERS,
                                Decision.Level.HIGH),
                        new Server(
                                "nginx",
                                "nginx",
                                "worker_processes: 4",
                                "5",
                                "5",
                                "900",
                                6,
                                ServedBy.LOOPS,
                                Decision.Level.HIGH),
                        new Server(
                                "nginx of one",
                                "nginx",
                                "worker_processes: 1",
                                "2",
                                "34",
                                "900",
                                2,
                                ServedBy.LOOPS,
                                Decision.Level.HIGH),
                        new Server(
                                "tomcat",
                                "tomcat",
                                "maxThreads: 200",
                                "1",
                                "40",
                                "100",
                                4,
                                ServedBy.WORKERS,
                                Decision.Level.HIGH),
                        new Server(
                                "blocking tomcat",
                                "tomcat",
                                "protocol: Http11Protocol",
                                "1",
                                "40",
                                "20",
                                3,
                                ServedBy.WORKERS,
                                Decision.Level.HIGH),
                        new Server(
                                "squid",
                                "squid",
                                "workers: 1",
                                "3",
                                "3",
                                "400",
                                2,
                                ServedBy.LOOPS,
                                Decision.Level.HIGH),
                        new Server(
                                "squid of four",
                                "squid",
                                "workers: 4",
                                "6",
                                "8",
                                "400",
                                6,
                                ServedBy.LOOPS,
                                Decision.Level.HIGH),
                        new Server(
                                "haproxy",
                                "haproxy",
                                "nbthread: 2",
                                "2",
                                "3",
                                "400",
                                4,
                                ServedBy.LOOPS,
                                Decision.Level.HIGH),
                        new Server(
                                "varnish",
                                "varnish",
                                "thread_pools: 2",
                                "2",
                                "220",
                                "100",
                                4,
                                ServedBy.WORKERS,
                                Decision.Level.HIGH),
                        new Server(
                                "komainu",
                                "komainu",
                                "workers: 2",
                                "1",
                                "22",
                                "100",
                                4,
                                ServedBy.LOOPS,
                                Decision.Level.HIGH),
                        new Server(
                                "nginx unseen",
                                "nginx",
                                "worker_processes: 4",
                                "",
                                "",
                                "10",
                                6,
                                ServedBy.LOOPS,
                                Decision.Level.MEDIUM),
                        new Server(
                                "one thing at a time",
                                "other",
                                "x: 1",
                                "1",
                                "1",
                                "1",
                                1,
                                ServedBy.WORKERS,
                                Decision.Level.LOW),
                        new Server(
                                "a loop",
                                "other",
                                "x: 1",
                                "1",
                                "2",
                                "90",
                                2,
                                ServedBy.LOOPS,
                                Decision.Level.LOW),
                        new Server(
                                "many threads",
                                "other",
                                "x: 1",
                                "1",
                                "64",
                                "30",
                                3,
                                ServedBy.WORKERS,
                                Decision.Level.LOW),
                        new Server(
                                "unknown and unseen",
                                "other",
                                "x: 1",
                                "",
                                "",
                                "30",
                                0,
                                ServedBy.WORKERS,
                                Decision.Level.LOW))
                .map(server -> DynamicTest.dynamicTest(server.name(), () -> check(server)));
    }

    private static void check(Server server) {
        Map<String, String> settings = java.util.Arrays.stream(server.settings().split(", "))
                .map(setting -> setting.split(": "))
                .collect(java.util.stream.Collectors.toMap(pair -> pair[0], pair -> pair[1]));
        Map<String, String> host = server.processes().isEmpty()
                ? null
                : Map.of(
                        "idle",
                        "0.8",
                        "processes",
                        server.processes(),
                        "threads",
                        server.threads());
        ScenarioRun run = ScenarioRun.of(new Scenario(
                server.name(),
                server.kind(),
                settings,
                List.of(new Scenario.Phase(
                        30,
                        Map.of("rps", "10", "ms", "5", "concurrent", server.connections()),
                        host,
                        null,
                        null)),
                List.of()));

        Architecture architecture = ArchitectureDetection.of(run.profile(), run.view());

        if (server.type() == 0) {
            assertThat(architecture.type()).isNull();
            assertThat(architecture.servedBy()).isNull();
            return;
        }
        assertThat(architecture.type()).isEqualTo(server.type());
        assertThat(architecture.servedBy()).isEqualTo(server.by());
        assertThat(architecture.confidence()).isEqualTo(server.level());
        assertThat(architecture.reasons()).isNotEmpty();
        assertThat(architecture.evidence()).isNotEmpty();
    }
}
