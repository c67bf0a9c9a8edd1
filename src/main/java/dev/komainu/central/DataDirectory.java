package dev.komainu.central;

import dev.komainu.settings.SettingMistakesException;
import dev.komainu.telemetry.file.PrivateFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextRefreshedEvent;

/**
 * The directory of all stored data. It is closed to other users before H2 creates its files there;
 * H2 gives them the mode of the umask, so they are narrowed when it has opened them.
 */
class DataDirectory implements ApplicationContextInitializer<ConfigurableApplicationContext> {

    private static final String[] OWN = {"control.*", "first-password", "order-key", "secret-key"};

    @Override
    public void initialize(ConfigurableApplicationContext context) {
        Path data = CentralSettings.read(context.getEnvironment()).data();
        try {
            PrivateFiles.directory(data, OWN);
        } catch (IOException e) {
            throw new IllegalStateException(
                    new SettingMistakesException(List.of("komainu.data: " + e.getMessage())));
        }
        context.addApplicationListener(
                (ApplicationListener<ContextRefreshedEvent>) event -> narrowDatabase(data));
    }

    private static void narrowDatabase(Path data) {
        try {
            PrivateFiles.narrow(data.resolve("control.mv.db"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
