package dev.komainu.agent.packet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CaptureFileTest {

    @TempDir
    Path directory;

    private final Talk talk =
            new Talk().handshake().get("/").ok("x".repeat(999)).closeByClient();

    @ParameterizedTest
    @CsvSource({
        "pcap,big,false",
        "pcap,little,true",
        "pcap,big,true",
        "pcapng,little,false",
        "pcapng,big,true"
    })
    void run_everyFormat_deliversTheFramesThatWereWritten(String kind, String order, boolean nanos)
            throws Exception {
        ByteOrder bytes = order.equals("big") ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
        byte[] file = kind.equals("pcap")
                ? CaptureWriter.pcap(talk.frames(), bytes, nanos)
                : CaptureWriter.pcapng(talk.frames(), bytes, nanos);
        List<Frame> read = new ArrayList<>();
        assertThat(read(file, read)).isNull();
        assertThat(read).usingRecursiveComparison().isEqualTo(talk.frames());
    }

    @Test
    void run_recordLongerThanTheFile_reportsThePositionAndDeliversTheFramesBefore()
            throws Exception {
        byte[] file = CaptureWriter.pcap(talk.frames(), ByteOrder.LITTLE_ENDIAN, false);
        int second = 24 + 16 + talk.frames().getFirst().bytes().length;
        int third = second + 16 + talk.frames().get(1).bytes().length;
        List<Frame> read = new ArrayList<>();
        MalformedCaptureException cut = read(Arrays.copyOf(file, third - 3), read);
        assertThat(cut)
                .hasMessageMatching("Malformed capture .* at byte " + second
                        + ": record length 62 exceeds the 59 left");
        assertThat(cut.position()).isEqualTo(second);
        assertThat(read).hasSize(1);

        read.clear();
        MalformedCaptureException header = read(Arrays.copyOf(file, second + 7), read);
        assertThat(header).hasMessageEndingWith("record header cut short: 7 of 16 bytes");
        assertThat(read).hasSize(1);
    }

    @Test
    void run_noCaptureFile_reportsTheExpectedFormat() throws Exception {
        assertThat(read(new byte[0], new ArrayList<>()))
                .hasMessageContaining("at byte 0: file ends after 0 bytes");
        assertThat(read(new byte[] {0x1f, (byte) 0x8b, 8, 0}, new ArrayList<>()))
                .hasMessageContaining("gzip");
    }

    @Test
    void run_stoppedBefore_returnsAtOnce() throws Exception {
        Path file = CaptureWriter.pcap(directory.resolve("a.pcap"), talk.frames());
        try (CaptureFile source = new CaptureFile(file)) {
            source.stop();
            source.run((micros, link, memory, offset, captured, length) -> {
                throw new AssertionError("delivered after stop");
            });
            assertThat(source.delivered()).isZero();
        }
    }

    @Test
    void open_missingFile_throws() {
        assertThatThrownBy(() -> new CaptureFile(directory.resolve("none")))
                .isInstanceOf(IOException.class);
    }

    @Property(tries = 300)
    void run_anyDamage_onlyTheTypedException(
            @ForAll @Size(max = 12) List<Integer> damage, @ForAll boolean ng) throws Exception {
        byte[] file = ng
                ? CaptureWriter.pcapng(talk.frames(), ByteOrder.LITTLE_ENDIAN, true)
                : CaptureWriter.pcap(talk.frames(), ByteOrder.BIG_ENDIAN, false);
        for (int change : damage) {
            file[Math.floorMod(change >>> 8, file.length)] = (byte) change;
        }
        List<Frame> read = new ArrayList<>();
        read(file, read);
        assertThat(read.size()).isLessThanOrEqualTo(file.length / 16);
    }

    private MalformedCaptureException read(byte[] bytes, List<Frame> into) throws IOException {
        Path file = Files.createTempFile("komainu", ".pcap");
        Files.write(file, bytes);
        try (CaptureFile source = new CaptureFile(file)) {
            source.run((micros, link, memory, offset, captured, length) ->
                    into.add(new Frame(micros, link, copy(memory, offset, captured), length)));
            return null;
        } catch (MalformedCaptureException e) {
            return e;
        } finally {
            Files.delete(file);
        }
    }

    private static byte[] copy(MemorySegment memory, long offset, int length) {
        return memory.asSlice(offset, length).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
    }
}
