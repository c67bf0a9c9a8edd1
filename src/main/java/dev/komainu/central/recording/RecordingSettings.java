package dev.komainu.central.recording;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/**
 * The settings of recordings.
 *
 * @param directory directory of the recording's files; absent: nothing is recorded
 * @param size limit of all files together
 */
public record RecordingSettings(@Nullable Path directory, DataSize size) {

    /** Key of the directory. */
    static final String KEY = "komainu.ingest.recording";

    private static final Setting<Path> DIRECTORY = Setting.path(KEY, "a directory")
            .effect("Directory in which every accepted batch is recorded with its time of arrival")
            .detail("""
                    `./komainu replay DIRECTORY` judges the recording again ([format](../formats/recording.md)). The files have mode
                    600 and contain what the agents report, for example addresses of clients.""");
    private static final Setting<Long> SIZE = Setting.size(
                    "komainu.ingest.recording-size", "1MB", "1TB")
            .byDefault("256MB")
            .effect("Limit of the recording's files together")
            .detail("""
                    Above it the oldest file is deleted and counted in `komainu_recording_files_deleted_total`. A file is an
                    eighth of the limit, at most 64 MB.""");

    public static RecordingSettings read(SettingReader reader) {
        return new RecordingSettings(reader.find(DIRECTORY), DataSize.ofBytes(reader.get(SIZE)));
    }
}
