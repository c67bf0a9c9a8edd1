package dev.komainu.central.indices;

import dev.komainu.telemetry.record.HostSample.OtherUse;
import java.util.Objects;

/** The sentence about the other program that uses most CPU time. */
final class OtherPrograms {

    private OtherPrograms() {}

    /** Returns the name, process and control group of the busiest other program. */
    static LocalizedText busiest(OtherUse other) {
        String name = Objects.requireNonNull(other.name());
        Double cores = other.nameCores();
        String used = cores == null ? "" : ", " + Evidence.figure(cores, "cores");
        Long process = other.processId();
        String id = process == null ? "" : " " + process;
        String group = other.controlGroup();
        return LocalizedText.of(
                "Busiest other program: " + name + " (process" + id + used
                        + (group == null ? ")" : ", control group " + group + ")"),
                "最も CPU を使う他のプログラム:" + name + "(プロセス" + id + used
                        + (group == null ? ")" : "、コントロールグループ " + group + ")"));
    }
}
