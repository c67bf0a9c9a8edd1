package dev.komainu.central.indices;

import dev.komainu.central.indices.PartFault.Kind;
import dev.komainu.telemetry.record.HostParts;
import dev.komainu.telemetry.record.HostParts.Card;
import dev.komainu.telemetry.record.HostParts.Drive;
import dev.komainu.telemetry.record.HostParts.Sensor;
import dev.komainu.telemetry.record.HostParts.Volume;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The parts of a host that one reading shows at fault. Pure. */
final class PartFaults {

    /** Used share from which on a file system counts as full. */
    static final double FULL = 0.95;

    private final HostParts parts;
    private final List<PartFault> faults = new ArrayList<>();

    private PartFaults(HostParts parts) {
        this.parts = parts;
    }

    /** Returns the faults, the most serious kind first. */
    static List<PartFault> of(HostParts parts) {
        PartFaults found = new PartFaults(parts);
        parts.cards().forEach(found::card);
        parts.volumes().forEach(found::volume);
        found.memory();
        parts.drives().forEach(found::drive);
        found.arrays();
        found.heat();
        found.clock();
        found.faults.sort(Comparator.comparing(PartFault::kind));
        return found.faults;
    }

    /** Reports whether the space of a file system says something: programs can write to it. */
    static boolean takesData(Volume volume) {
        return volume.readOnly() == 0;
    }

    private void add(Kind kind, String part, String en, String ja) {
        faults.add(new PartFault(kind, part, LocalizedText.of(en, ja), parts.atMicros()));
    }

    private void card(Card card) {
        String name = card.name();
        if (card.linkDown() == 1) {
            add(Kind.LINK_DOWN, name, "the link of " + name + " is down.", name + " のリンクが切れています。");
        }
        if (card.isSlower()) {
            String now = speed(card.speedBitsPerSecond());
            String before = speed(card.fastestBitsPerSecond());
            add(
                    Kind.LINK_SLOWER,
                    name,
                    "the link of " + name + " runs at " + now + ", before at " + before + ".",
                    name + " の速度が " + before + " から " + now + " に下がっています。");
        }
        if (!card.errors().isEmpty()) {
            String kinds = card.errors().stream()
                    .map(errors -> errors.kind() + " " + errors.count())
                    .collect(Collectors.joining(", "));
            add(
                    Kind.CARD_ERRORS,
                    name,
                    name + " damages or loses packets (" + kinds + ").",
                    name + " でパケットの破損または損失が発生しています(" + kinds + ")。");
        }
    }

    private static String speed(@Nullable Long bitsPerSecond) {
        return bitsPerSecond == null
                ? "?"
                : String.format(Locale.ROOT, "%.0f Mbit/s", bitsPerSecond / 1e6);
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.1f %%", share * 100);
    }

    private static String degrees(double celsius) {
        return String.format(Locale.ROOT, "%.0f °C", celsius);
    }

    private void volume(Volume volume) {
        String mount = volume.mount();
        if (volume.turnedReadOnly() == 1) {
            add(
                    Kind.VOLUME_READ_ONLY,
                    mount,
                    mount + " (" + volume.device() + ") takes no more data: it became read-only.",
                    mount + "(" + volume.device() + ")が読み取り専用になり、書き込めません。");
        }
        if (takesData(volume) && volume.usedShare() >= FULL) {
            String used = percent(volume.usedShare());
            add(
                    Kind.VOLUME_FULL,
                    mount,
                    mount + " is full to " + used + ".",
                    mount + " の使用率は " + used + " です。");
        }
        if (takesData(volume) && volume.filesUsedShare() >= FULL) {
            String used = percent(volume.filesUsedShare());
            add(
                    Kind.VOLUME_WITHOUT_INODES,
                    mount,
                    mount + " uses " + used + " of its inodes.",
                    mount + " の inode 使用率は " + used + " です。");
        }
        Long errors = volume.errors();
        if (errors != null && errors > 0) {
            add(
                    Kind.VOLUME_ERRORS,
                    mount,
                    mount + " (" + volume.device() + ") has recorded " + errors + " errors.",
                    mount + "(" + volume.device() + ")に " + errors + " 件のエラーが記録されています。");
        }
    }

    private void memory() {
        for (HostParts.MemoryErrors errors : parts.memoryErrors()) {
            if (errors.uncorrected() > 0) {
                add(
                        Kind.MEMORY_UNCORRECTED,
                        errors.place(),
                        "memory " + errors.place() + " had " + errors.uncorrected()
                                + " errors that could not be corrected.",
                        "メモリ " + errors.place() + " で訂正できないエラーが " + errors.uncorrected()
                                + " 件発生しました。");
            }
            if (errors.newCorrected() > 0) {
                add(
                        Kind.MEMORY_CORRECTED,
                        errors.place(),
                        "memory " + errors.place() + " needs corrections (" + errors.corrected()
                                + " since the start of the host).",
                        "メモリ " + errors.place() + " で訂正が発生しています(起動後 " + errors.corrected()
                                + " 件)。");
            }
        }
    }

    private void drive(Drive drive) {
        String name = drive.name();
        Integer failing = drive.failing();
        if (failing != null && failing == 1) {
            add(
                    Kind.DISK_FAILING,
                    name,
                    "disk " + name + " reports that it fails (SMART).",
                    "ディスク " + name + " が自身の故障を報告しています(SMART)。");
        }
        Long errors = drive.newErrors();
        if (errors != null && errors > 0) {
            add(
                    Kind.DISK_ERRORS,
                    name,
                    "requests to disk " + name + " fail (" + drive.errors()
                            + " since the start of the host).",
                    "ディスク " + name + " への要求が失敗しています(起動後 " + drive.errors() + " 件)。");
        }
    }

    private void arrays() {
        for (HostParts.Array array : parts.arrays()) {
            if (array.missing() > 0) {
                String counts = array.missing() + " / " + array.members();
                add(
                        Kind.ARRAY_DEGRADED,
                        array.name(),
                        "array " + array.name() + " (" + array.level()
                                + ") runs without some of its disks (" + counts + " missing).",
                        "ディスクアレイ " + array.name() + "(" + array.level() + ")のディスクが欠けています(" + counts
                                + ")。");
            }
        }
    }

    private void heat() {
        Long throttles = parts.throttles();
        if (throttles != null && throttles > 0) {
            add(
                    Kind.CPU_THROTTLED,
                    "CPU",
                    "heat slows the CPUs down (" + throttles + " times since the last reading).",
                    "CPU が発熱で減速しています(前回の読み取り以降 " + throttles + " 回)。");
        }
        for (Sensor sensor : parts.sensors()) {
            Double limit = sensor.limitCelsius();
            if (limit != null && sensor.celsius() >= limit) {
                String degrees = degrees(sensor.celsius());
                String most = degrees(limit);
                add(
                        Kind.TOO_HOT,
                        sensor.name(),
                        sensor.name() + " is at " + degrees + ", its limit is " + most + ".",
                        sensor.name() + " が " + degrees + " です(上限 " + most + ")。");
            }
        }
    }

    private void clock() {
        Integer synchronised = parts.clockSynchronised();
        if (synchronised != null && synchronised == 0) {
            add(Kind.CLOCK_FREE, "clock", "the clock follows no time source.", "時計が時刻源に同期していません。");
        }
    }
}
