package dev.komainu.settings;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The options of a command with settings, as a mixin: one for each setting whose declaration names
 * an option, and the common options of all commands.
 */
@Command(mixinStandardHelpOptions = true)
public final class SettingOptions {

    /**
     * The work of a command with its settings.
     *
     * @param <S> the settings
     */
    @FunctionalInterface
    public interface Use<S> {
        /**
         * Runs the work.
         *
         * @throws SettingMistakesException mistakes that are found only now
         */
        void with(S settings) throws IOException, InterruptedException, SettingMistakesException;
    }

    private static final int LAST = 1_000;

    @Option(names = "--config", order = LAST, paramLabel = "FILE", description = "Settings as YAML")
    private @Nullable Path config;

    @Option(
            names = "--check",
            order = LAST,
            description = "Check the settings, report all mistakes, and exit")
    private boolean check;

    @Option(
            names = "--print-settings",
            order = LAST,
            description = "Print all effective settings with their sources, and exit")
    private boolean printSettings;

    private final List<Setting<?>> settings;
    private final Supplier<String> version;
    private @Nullable CommandSpec command;

    /**
     * Creates the options of these settings.
     *
     * @param settings those whose declarations name no option are left out
     * @param version the text of {@code --version}
     */
    public SettingOptions(List<Setting<?>> settings, Supplier<String> version) {
        this.settings = settings;
        this.version = version;
    }

    @Spec(Spec.Target.MIXEE)
    void addTo(CommandSpec mixee) {
        command = mixee;
        mixee.versionProvider(() -> new String[] {version.get()});
        settings.forEach(setting -> setting.options()
                .forEach(name -> mixee.addOption(option(setting, name, isFlag(setting)))));
    }

    private static boolean isFlag(Setting<?> setting) {
        return setting.label().isEmpty() || setting.options().size() > 1;
    }

    private static OptionSpec option(Setting<?> setting, String name, boolean isFlag) {
        OptionSpec.Builder option = OptionSpec.builder(name)
                .userObject(setting)
                .description(description(setting, name, isFlag));
        if (isFlag) {
            return option.arity("0").type(boolean.class).build();
        }
        option.arity(setting.arity())
                .paramLabel(setting.label())
                .fallbackValue(setting.withoutValue());
        return (setting.arity().equals("1..*")
                        ? option.type(List.class).auxiliaryTypes(String.class)
                        : option.type(String.class))
                .build();
    }

    /** Returns the effect as plain text, and the default. */
    private static String description(Setting<?> setting, String name, boolean isFlag) {
        String which = setting.options().size() > 1
                ? "Sets " + setting.key() + " to " + name.substring(2) + ". "
                : "";
        boolean showsDefault = !isFlag && !setting.defaultText().equals(SettingGrammar.NONE);
        String text = which
                + setting.effect()
                + (showsDefault ? " (default: " + setting.defaultText() + ")" : "");
        return text.replace("`", "").replace("%", "%%");
    }

    /** Reports whether {@code --config} was given. */
    public boolean hasFile() {
        return config != null;
    }

    /**
     * Reads the settings from the command line, the environment and the file of {@code --config},
     * in this order; then prints or checks them as the options require, or runs the work.
     *
     * @throws SettingMistakesException with all mistakes
     */
    public <S> void run(
            SettingSource environment,
            Configuration.Reading<S> reading,
            Use<S> checking,
            Use<Configuration<S>> serving)
            throws SettingMistakesException, IOException, InterruptedException {
        if (printSettings) {
            SettingReader reader = new SettingReader(sources(environment));
            reading.read(reader);
            reader.effective().forEach(setting -> System.out.println(setting.line()));
            return;
        }
        Configuration<S> configuration = Configuration.read(() -> sources(environment), reading);
        if (check) {
            checking.with(configuration.settings());
            System.out.println("The settings are valid");
        } else {
            serving.with(configuration);
        }
    }

    private List<SettingSource> sources(SettingSource environment) throws SettingMistakesException {
        List<SettingSource> sources =
                new ArrayList<>(List.of(SettingSource.commandLine(given()), environment));
        if (config != null) {
            sources.add(SettingsFile.read(config));
        }
        return sources;
    }

    /** Returns the texts of the options that were given, by the keys of their settings. */
    private Map<String, String> given() {
        Map<String, String> given = new LinkedHashMap<>();
        for (OptionSpec option : Objects.requireNonNull(command)
                .commandLine()
                .getParseResult()
                .matchedOptionsSet()) {
            if (option.userObject() instanceof Setting<?> setting) {
                given.merge(
                        setting.key(),
                        text(setting, option),
                        (one, other) -> one + " and " + other);
            }
        }
        return given;
    }

    private static String text(Setting<?> setting, OptionSpec option) {
        if (setting.options().size() > 1) {
            return option.longestName().substring(2);
        }
        return option.getValue() instanceof List<?> several
                ? several.stream().map(String::valueOf).collect(Collectors.joining(","))
                : String.valueOf(option.<Object>getValue());
    }
}
