package dev.komainu.central.advice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.LocalizedText;
import dev.komainu.central.indices.MeasurementView;
import dev.komainu.central.indices.ScenarioRun;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The advice of the operating system that a host's agent reports. */
class SystemAdviceTest {

    private static final List<String> LEAVES =
            List.of("longer-queue", "more-sockets", "more-ports", "set-processes");

    private final AdviceCatalogue book = new AdviceCatalogue(new IndexCatalogue());
    private final MeasurementView view = ScenarioRun.of("/cases/all-well.yaml").view();

    @ParameterizedTest
    @CsvSource({"FreeBSD, freebsd", "SunOS, solaris", "Linux, linux"})
    void advise_hostOfASystem_getsItsOwnBookAndTheOthersBeside(String reported, String page) {
        ServiceProfile service = service("web-01", reported);

        assertThat(book.advise(service, LEAVES, view))
                .isNotEmpty()
                .allSatisfy(advice -> assertThat(advice.id()).startsWith(page + "/"));
        assertThat(book.adviseElsewhere(service, LEAVES, view))
                .isNotEmpty()
                .noneSatisfy(advice -> assertThat(advice.id()).startsWith(page + "/"));
    }

    @Test
    void advise_systemWithoutABook_getsNoneOfItsOwn() {
        ServiceProfile service = service("mac-01", "Mac OS X");

        assertThat(book.advise(service, LEAVES, view)).isEmpty();
        assertThat(book.adviseElsewhere(service, LEAVES, view))
                .extracting(advice -> advice.id().replaceFirst("/.*", ""))
                .contains("freebsd", "solaris");
        assertThat(AdviceCatalogue.systemName(service)).isEqualTo("Mac OS X");
        assertThat(AdviceCatalogue.systemName(service(null, null))).isNull();
    }

    @Test
    void steps_ofSolaris_undoTheRunningValueOrSayThatTheyCannot() {
        ServiceProfile service = service("sun-01", "SunOS");
        List<Advice> advice = book.advise(service, LEAVES, view);

        Advice queue = named(advice, "solaris/conn-req-max-q");
        assertThat(rollback(queue).command())
                .startsWith("ipadm set-prop -t -p _conn_req_max_q=128 tcp && ipadm reset-prop");
        Advice threads = named(advice, "solaris/max-lwps");
        assertThat(rollback(threads).command()).doesNotContain("prctl").startsWith("projmod");
        assertThat(rollback(threads).text().en()).contains("The running value is not restored");
        assertThat(advice).allSatisfy(each -> assertThat(each.tried()).isFalse());
    }

    @Test
    void instructions_capacityAndFigures_areFilledIn() {
        LocalizedText capacity = LocalizedText.of("It carries 90 requests/s.", "限界は毎秒 90 です。");

        assertThat(book.instructions(
                        service("web-01", "Linux"), List.of("bigger-system"), view, capacity))
                .filteredOn(each -> each.id().equals("any/bigger-system"))
                .singleElement()
                .satisfies(each -> {
                    assertThat(each.node()).isEqualTo("bigger-system");
                    assertThat(each.text().en())
                            .startsWith("It carries 90 requests/s. Now ")
                            .doesNotContain("{");
                    assertThat(each.text().ja()).startsWith("限界は毎秒 90 です。").doesNotContain("{");
                });
    }

    private static Advice named(List<Advice> advice, String id) {
        return advice.stream().filter(each -> each.id().equals(id)).findFirst().orElseThrow();
    }

    private static Advice.Step rollback(Advice advice) {
        return advice.steps().stream()
                .filter(step -> step.kind() == Advice.Kind.ROLLBACK)
                .findFirst()
                .orElseThrow();
    }

    private static ServiceProfile service(
            @org.jspecify.annotations.Nullable String node,
            @org.jspecify.annotations.Nullable String system) {
        return new ServiceProfile(
                "192.0.2.2:80",
                node,
                "other",
                "other",
                null,
                List.of(),
                null,
                null,
                system == null
                        ? List.of()
                        : List.of(
                                new Setting("host:system", system, "os.name"),
                                new Setting("sysctl:net.core.somaxconn", "128", "/proc/sys")),
                Set.of(),
                0,
                0);
    }
}
