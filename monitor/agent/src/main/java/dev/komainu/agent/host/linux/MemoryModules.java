package dev.komainu.agent.host.linux;

import dev.komainu.telemetry.record.HostParts.MemoryModule;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The memory modules by the firmware's table, DMTF DSP0134 section 7.18 (structures of type 17).
 * OSHI reads them by running dmidecode; this reader starts no program. Only root may read the
 * table.
 *
 * <pre>
 *  0 type | 1 length | 2 handle | … | 0x0C size in MB | … | 0x10 slot (string) | … | 0x12 kind |
 *  … | 0x1C extended size in MB | … then strings, each ended by NUL, and one more NUL
 * </pre>
 */
public final class MemoryModules {

    private static final int DEVICE = 17;
    private static final int SIZE_AT = 0x0C;
    private static final int SLOT_AT = 0x10;
    private static final int KIND_AT = 0x12;
    private static final int EXTENDED_SIZE_AT = 0x1C;
    private static final int LEAST_BYTES = 0x13;

    private static final int UNKNOWN = 0xFFFF;
    private static final int EXTENDED = 0x7FFF;
    private static final int IN_KILOBYTES = 0x8000;

    private static final Map<Integer, String> KINDS = Map.of(
            0x12, "DDR", 0x13, "DDR2", 0x18, "DDR3", 0x1A, "DDR4", 0x1B, "LPDDR", 0x1C, "LPDDR2",
            0x1D, "LPDDR3", 0x1E, "LPDDR4", 0x22, "DDR5", 0x23, "LPDDR5");

    private MemoryModules() {}

    /** Reads the modules; empty when the table cannot be read. Empty slots are left out. */
    public static List<MemoryModule> read(Path sys) {
        try {
            return parse(Files.readAllBytes(sys.resolve("firmware/dmi/tables/DMI")));
        } catch (IOException e) {
            return List.of();
        }
    }

    /** Parses a table; a broken rest is left out. */
    static List<MemoryModule> parse(byte[] table) {
        ByteBuffer bytes = ByteBuffer.wrap(table).order(ByteOrder.LITTLE_ENDIAN);
        List<MemoryModule> modules = new ArrayList<>();
        int at = 0;
        while (at + 4 <= table.length) {
            int length = bytes.get(at + 1) & 0xFF;
            int end = at + length;
            if (length < 4 || end > table.length) {
                return modules;
            }
            if (bytes.get(at) == DEVICE && length >= LEAST_BYTES) {
                MemoryModule module = module(bytes, at, length);
                if (module != null) {
                    modules.add(module);
                }
            }
            while (end + 1 < table.length && (table[end] != 0 || table[end + 1] != 0)) {
                end++;
            }
            at = end + 2;
        }
        return modules;
    }

    private static @Nullable MemoryModule module(ByteBuffer bytes, int at, int length) {
        int size = bytes.getShort(at + SIZE_AT) & 0xFFFF;
        long amount;
        if (size == EXTENDED && length >= EXTENDED_SIZE_AT + 4) {
            amount = (bytes.getInt(at + EXTENDED_SIZE_AT) & 0x7FFF_FFFFL) << 20;
        } else if (size == 0 || size == UNKNOWN) {
            return null;
        } else {
            amount = (size & IN_KILOBYTES) == 0
                    ? (long) size << 20
                    : (long) (size & ~IN_KILOBYTES) << 10;
        }
        String slot = string(bytes, at + length, bytes.get(at + SLOT_AT) & 0xFF);
        return new MemoryModule(slot, amount, KINDS.get(bytes.get(at + KIND_AT) & 0xFF));
    }

    /** Returns the string with this number, from 1; empty when there is none. */
    private static String string(ByteBuffer bytes, int from, int number) {
        int at = from;
        for (int n = 1; at < bytes.limit() && bytes.get(at) != 0; n++) {
            int end = at;
            while (end < bytes.limit() && bytes.get(end) != 0) {
                end++;
            }
            if (n == number) {
                byte[] text = new byte[end - at];
                bytes.get(at, text);
                return new String(text, StandardCharsets.ISO_8859_1).strip();
            }
            at = end + 1;
        }
        return "";
    }
}
