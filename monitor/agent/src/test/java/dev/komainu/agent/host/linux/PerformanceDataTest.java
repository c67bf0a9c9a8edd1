package dev.komainu.agent.host.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class PerformanceDataTest {

    private static final int ENTRIES_AT = 32;

    @Test
    void pauses_areTheCollectorsTimes_withoutThoseThatRunBeside() {
        byte[] file = file(ByteOrder.LITTLE_ENDIAN);
        assertThat(pauses(file)).isEqualTo(1_500_000_000L);
    }

    @Test
    void bigEndianMachine_readsTheSame() {
        assertThat(pauses(file(ByteOrder.BIG_ENDIAN))).isEqualTo(1_500_000_000L);
    }

    @Test
    void fileThatIsNotCompleteYet_isNone() {
        byte[] file = file(ByteOrder.LITTLE_ENDIAN);
        file[7] = 0;
        assertThat(PerformanceData.parse(file)).isNull();
    }

    @Test
    void withoutFrequency_pausesAreUnknown() {
        ByteBuffer data = header(ByteOrder.LITTLE_ENDIAN, 1);
        number(data, "sun.gc.collector.0.time", 5);
        assertThat(pauses(data.array())).isEqualTo(-1);
    }

    /** A container may put anything there. */
    @Property
    void anyBytes_areReadWithoutFailure(@ForAll @Size(max = 400) byte[] bytes) {
        PerformanceData data = PerformanceData.parse(bytes);
        assertThat(data == null || data.pauseNanos() >= -1).isTrue();
    }

    @Property
    void anyChangedByte_isReadWithoutFailure(
            @ForAll @IntRange(max = 511) int at, @ForAll byte value, @ForAll boolean cut) {
        byte[] file = file(ByteOrder.LITTLE_ENDIAN);
        file[at % file.length] = value;
        byte[] read = cut ? java.util.Arrays.copyOf(file, at % file.length) : file;
        assertThat(pauses(read)).isGreaterThanOrEqualTo(-1);
    }

    private static long pauses(byte[] file) {
        PerformanceData data = PerformanceData.parse(file);
        return data == null ? -1 : data.pauseNanos();
    }

    private static byte[] file(ByteOrder order) {
        ByteBuffer data = header(order, 6);
        number(data, "sun.os.hrt.frequency", 1_000);
        number(data, "sun.gc.collector.0.time", 1_000);
        text(data, "sun.gc.collector.0.name", "G1 young collection pauses");
        number(data, "sun.gc.collector.1.time", 500);
        number(data, "sun.gc.collector.2.time", 70_000);
        text(data, "sun.gc.collector.2.name", "ZGC minor collection cycles");
        return data.array();
    }

    private static ByteBuffer header(ByteOrder order, int entries) {
        ByteBuffer data = ByteBuffer.allocate(512);
        data.putInt(0, 0xcafec0c0);
        data.put(4, (byte) (order == ByteOrder.LITTLE_ENDIAN ? 1 : 0));
        data.put(5, (byte) 2).put(7, (byte) 1);
        data.order(order);
        data.putInt(24, ENTRIES_AT).putInt(28, entries);
        data.position(ENTRIES_AT);
        return data;
    }

    private static void number(ByteBuffer data, String name, long value) {
        int value0 = 20 + (name.length() + 8) / 8 * 8;
        entry(data, name, 0, 'J', value0, value0 + 8);
        data.putLong(data.position() + value0, value);
        data.position(data.position() + value0 + 8);
    }

    private static void text(ByteBuffer data, String name, String value) {
        int value0 = 20 + name.length() + 1;
        int length = value0 + value.length() + 1;
        entry(data, name, value.length() + 1, 'B', value0, length);
        data.put(data.position() + value0, value.getBytes(StandardCharsets.ISO_8859_1));
        data.position(data.position() + length);
    }

    private static void entry(
            ByteBuffer data, String name, int vector, char type, int value, int length) {
        int at = data.position();
        data.putInt(at, length).putInt(at + 4, 20).putInt(at + 8, vector);
        data.put(at + 12, (byte) type).putInt(at + 16, value);
        data.put(at + 20, name.getBytes(StandardCharsets.ISO_8859_1));
    }
}
