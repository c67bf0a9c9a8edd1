package dev.komainu.central.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SealedStreamTest {

    private static final int WHOLE = SealedStream.CHUNK + SealedStream.TAG;
    private static final int HEAD = SealedStream.MAGIC.length + SealedStream.SALT;
    private static final BackupKey KEY = BackupKey.create("correct horse battery".toCharArray());

    private static byte[] sealed(byte[] clear, String name) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (SealedOutput sealing = new SealedOutput(out, KEY, name)) {
            // In pieces that do not fit the chunks.
            for (int from = 0; from < clear.length; from += 10_007) {
                sealing.write(clear, from, Math.min(10_007, clear.length - from));
            }
        }
        return out.toByteArray();
    }

    private static byte[] opened(byte[] sealed, String name) throws IOException {
        try (SealedInput in = new SealedInput(new ByteArrayInputStream(sealed), KEY, name)) {
            return in.readAllBytes();
        }
    }

    private static byte[] some(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 65_535, 65_536, 65_537, 131_072, 200_000})
    void part_sealedAndOpened_isTheSame(int length) throws Exception {
        byte[] clear = some(length);

        byte[] sealed = sealed(clear, "files/a");

        assertThat(opened(sealed, "files/a")).isEqualTo(clear);
        int chunks = Math.max(1, (length + SealedStream.CHUNK - 1) / SealedStream.CHUNK);
        assertThat(sealed).hasSize(HEAD + length + chunks * SealedStream.TAG);
    }

    @Test
    void samePart_sealedTwice_differs() throws Exception {
        assertThat(sealed(some(100), "files/a")).isNotEqualTo(sealed(some(100), "files/a"));
    }

    @Test
    void anyByte_changed_doesNotOpen() throws Exception {
        byte[] sealed = sealed(some(70_000), "files/a");
        Random random = new Random(5);
        for (int i = 0; i < 300; i++) {
            byte[] changed = sealed.clone();
            int at = i < HEAD + 32 ? i : random.nextInt(sealed.length);
            changed[at] ^= (byte) (1 << random.nextInt(8));

            assertThatThrownBy(() -> opened(changed, "files/a"))
                    .as("byte %d", at)
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith("files/a: ");
        }
    }

    @Test
    void chunks_cutOffSwappedOrOfAnotherPart_doNotOpen() throws Exception {
        byte[] sealed = sealed(some(200_000), "files/a");

        for (int length : new int[] {0, 10, HEAD, HEAD + 5, HEAD + WHOLE, HEAD + 2 * WHOLE}) {
            assertThatThrownBy(() -> opened(Arrays.copyOf(sealed, length), "files/a"))
                    .as("cut at %d", length)
                    .isInstanceOf(IOException.class);
        }
        byte[] swapped = sealed.clone();
        System.arraycopy(sealed, HEAD, swapped, HEAD + WHOLE, WHOLE);
        System.arraycopy(sealed, HEAD + WHOLE, swapped, HEAD, WHOLE);
        assertThatThrownBy(() -> opened(swapped, "files/a")).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> opened(sealed, "files/b")).isInstanceOf(IOException.class);
    }

    @Test
    void wrongPassphrase_isRefusedByTheParameters() throws Exception {
        assertThatThrownBy(() -> BackupKey.open("another horse".toCharArray(), KEY.derivation()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the passphrase does not open this backup");
        assertThat(BackupKey.open("correct horse battery".toCharArray(), KEY.derivation())
                        .mac("m", new byte[0]))
                .isEqualTo(KEY.mac("m", new byte[0]));
    }
}
