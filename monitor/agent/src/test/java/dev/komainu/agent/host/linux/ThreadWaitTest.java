package dev.komainu.agent.host.linux;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class ThreadWaitTest {

    @Test
    void lines_ofEachForm_areRead() {
        assertThat(line("running\n").number()).isEqualTo(SystemCallLine.RUNNING);
        assertThat(line("-1 0x7ffd1 0x7f0a2\n").number()).isEqualTo(SystemCallLine.NO_CALL);
        assertThat(line("7 0x7ffd10 0x1 0x1388 0x0 0x0 0x0 0x7ffd 0x7f0a\n"))
                .isEqualTo(new SystemCallLine(7, 0x7ffd10, 1, 0x1388));
        assertThat(line("").number()).isEqualTo(SystemCallLine.UNREADABLE);
        assertThat(line("0 0xffffffffffffffff").first()).isEqualTo(-1);
    }

    @Property
    void anyLine_isReadWithoutFailure(@ForAll String text) {
        assertThat(line(text).number()).isGreaterThanOrEqualTo(SystemCallLine.UNREADABLE);
    }

    @Property
    void arguments_areReadBack(
            @ForAll @LongRange(max = 600) long number, @ForAll long first, @ForAll long second) {
        SystemCallLine read = line(number + " 0x" + Long.toHexString(first) + " 0x"
                + Long.toHexString(second) + " 0x0 0x0 0x0 0x0 0x1 0x2\n");
        assertThat(read).isEqualTo(new SystemCallLine(number, first, second, 0));
    }

    /** Pools wait for work by the operation with a bit set; a mutex by the plain one. */
    @Test
    void futex_ofAMutexIsALock_ofAConditionOrOfSeveralProcessesIsNone() {
        assertThat(ThreadWait.futex(0x80)).isEqualTo(ThreadWait.LOCK);
        assertThat(ThreadWait.futex(0x189)).isEqualTo(ThreadWait.IDLE);
        assertThat(ThreadWait.futex(0)).isEqualTo(ThreadWait.IDLE);
    }

    private static SystemCallLine line(String text) {
        return SystemCallLine.parse(KernelFileText.of(text));
    }
}
