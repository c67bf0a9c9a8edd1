package dev.komainu.central.api.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.DataFormatException;
import java.util.zip.GZIPInputStream;
import java.util.zip.Inflater;
import org.junit.jupiter.api.Test;

/** Tests that frames that were compressed alone make one valid gzip stream. */
class GzipFramesTest {

    private static final int HEADER = 10;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    @Test
    void frames_compressedAlone_areOneGzipStream() throws IOException {
        GzipFrames frames = new GzipFrames(out);
        StringBuilder expected = new StringBuilder();
        Random random = new Random(7);
        for (int i = 0; i < 50; i++) {
            String frame = "data: " + "abc,".repeat(random.nextInt(5_000)) + i + "\n\n";
            expected.append(frame);
            write(frames, frame);
        }
        frames.end();

        byte[] read =
                new GZIPInputStream(new ByteArrayInputStream(out.toByteArray())).readAllBytes();

        assertThat(new String(read, StandardCharsets.UTF_8)).isEqualTo(expected.toString());
    }

    @Test
    void frame_written_canBeReadBeforeTheNextOne() throws IOException, DataFormatException {
        GzipFrames frames = new GzipFrames(out);
        Inflater inflater = new Inflater(true);
        byte[] buffer = new byte[1_000];
        int taken = HEADER;
        for (int i = 0; i < 3; i++) {
            write(frames, "data: " + i + "\n\n");
            byte[] all = out.toByteArray();
            inflater.setInput(all, taken, all.length - taken);
            taken = all.length;

            int count = inflater.inflate(buffer);

            assertThat(new String(buffer, 0, count, StandardCharsets.UTF_8))
                    .isEqualTo("data: " + i + "\n\n");
        }
        inflater.end();
    }

    @Test
    void incompressibleFrame_ofEveryLengthAroundTheBuffer_isComplete() throws IOException {
        byte[] noise = new byte[8_400];
        new Random(3).nextBytes(noise);
        for (int length = 8_000; length <= noise.length; length += 7) {
            out.reset();
            GzipFrames frames = new GzipFrames(out);
            byte[] frame = Arrays.copyOf(noise, length);
            frames.write(frame, GzipFrames.deflate(frame));
            frames.end();

            assertThat(new GZIPInputStream(new ByteArrayInputStream(out.toByteArray()))
                            .readAllBytes())
                    .isEqualTo(frame);
        }
    }

    @Test
    void acceptsGzip_readsTheHeader() {
        assertThat(StreamController.acceptsGzip("gzip, deflate, br, zstd")).isTrue();
        assertThat(StreamController.acceptsGzip("br;q=1.0, GZIP;q=0.5")).isTrue();
        assertThat(StreamController.acceptsGzip("gzip;q=0, br")).isFalse();
        assertThat(StreamController.acceptsGzip("gzip;q=0.000")).isFalse();
        assertThat(StreamController.acceptsGzip("identity")).isFalse();
        assertThat(StreamController.acceptsGzip(null)).isFalse();
    }

    private static void write(GzipFrames frames, String frame) throws IOException {
        byte[] bytes = frame.getBytes(StandardCharsets.UTF_8);
        frames.write(bytes, GzipFrames.deflate(bytes));
    }
}
