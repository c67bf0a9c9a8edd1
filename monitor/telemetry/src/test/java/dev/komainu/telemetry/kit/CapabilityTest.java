package dev.komainu.telemetry.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

class CapabilityTest {

    /**
     * Docker's default: SETUID, NET_RAW, without NET_ADMIN and SYS_ADMIN. The permitted set is
     * larger.
     */
    private static final String CONTAINER = """
            Name:\tjava
            CapInh:\t0000000000000000
            CapPrm:\t000001ffffffffff
            CapEff:\t00000000a80425fb
            CapBnd:\t000001ffffffffff
            """;

    @Test
    void effective_rootInAContainer_hasSomeOnly() {
        long mask = Capability.effective(CONTAINER);
        assertThat(Capability.NET_RAW.isIn(mask)).isTrue();
        assertThat(Capability.SETUID.isIn(mask)).isTrue();
        assertThat(Capability.NET_ADMIN.isIn(mask)).isFalse();
        assertThat(Capability.SYS_ADMIN.isIn(mask)).isFalse();
    }

    @Test
    void missing_someCapabilities_namesExactlyThose() {
        long mask = Capability.effective(CONTAINER);
        assertThat(Capability.missing(
                        mask, Capability.SYS_ADMIN, Capability.NET_RAW, Capability.NET_ADMIN))
                .isEqualTo("SYS_ADMIN and NET_ADMIN");
        assertThat(Capability.missing(mask, Capability.NET_RAW)).isEmpty();
        assertThat(Capability.missing(-1L, Capability.values())).isEmpty();
    }

    /** With all capabilities the kernel sets all bits, so the whole mask must be parsed. */
    @Test
    void effective_highestBitSet_isRead() {
        assertThat(Capability.effective("CapEff:\tffffffffffffffff\n")).isEqualTo(-1L);
        assertThat(Capability.effective("no such line\n")).isZero();
    }

    @Test
    void need_missingProgram_skipsAndNamesThePackage() {
        assertThatThrownBy(() -> Program.need("no-such-program"))
                .isInstanceOf(TestAbortedException.class)
                .hasMessageContaining(
                        "no-such-program: not found (expected: apt-get install no-such-program)");
        assertThatCode(() -> assertThat(Program.need("sh"))
                        .isIn(Path.of("/usr/bin/sh"), Path.of("/bin/sh")))
                .doesNotThrowAnyException();
    }
}
