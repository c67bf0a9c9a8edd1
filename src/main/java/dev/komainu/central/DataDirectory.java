package dev.komainu.central;

import dev.komainu.central.backup.ControlFile;
import dev.komainu.central.control.ControlSchema;
import dev.komainu.central.room.Reserve;
import dev.komainu.central.room.ReservedFiles;
import dev.komainu.settings.SettingMistakesException;
import dev.komainu.telemetry.file.PrivateFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.util.List;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * The directory of all stored data. It is closed to other users before H2 opens the database there.
 * H2 creates files with the mode of the umask, but accepts an empty file as a new database.
 */
class DataDirectory implements ApplicationContextInitializer<ConfigurableApplicationContext> {

    private static final String[] OWN = {
        "control.*", "first-password", "order-key", "reserve", "secret-key", "settings.yml"
    };

    @Override
    public void initialize(ConfigurableApplicationContext context) {
        CentralSettings settings = CentralSettings.read(context.getEnvironment());
        Path data = settings.data();
        try {
            PrivateFiles.directory(data, OWN);
            Reserve reserve = new Reserve(data, settings.room().reserveBytes());
            ReservedFiles.use(data, reserve);
            context.getBeanFactory().registerSingleton("reserve", reserve);
            if (!settings.control().onPostgresql()) {
                PrivateFiles.open(
                                data.resolve(ControlFile.NAME),
                                StandardOpenOption.CREATE,
                                StandardOpenOption.WRITE)
                        .close();
                ControlSchema schema = new ControlSchema(settings.control());
                ControlFile.prepare(
                                data,
                                Clock.systemUTC(),
                                source -> schema.migrate(schema.flyway(source)))
                        .ifPresent(mending -> context.getBeanFactory()
                                .registerSingleton("controlMending", mending));
            }
        } catch (IOException e) {
            throw new IllegalStateException(
                    new SettingMistakesException(List.of("komainu.data: " + e.getMessage())));
        }
    }
}
