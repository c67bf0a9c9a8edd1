package dev.komainu.organizer;

import dev.komainu.intermediary.lifecycle.Component;
import dev.komainu.intermediary.lifecycle.PreparedChange;
import dev.komainu.intermediary.lifecycle.SettingsChange;
import dev.komainu.organizer.service.Services;
import java.net.BindException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The entries for clients of other protocols. */
final class ServicesComponent implements Component<OrganizerSettings> {

    private final OrganizerSettings settings;
    private final FrontComponent front;
    private @Nullable Services services;

    ServicesComponent(OrganizerSettings settings, FrontComponent front) {
        this.settings = settings;
        this.front = front;
    }

    Services get() {
        return Objects.requireNonNull(services);
    }

    @Override
    public void open() throws BindException {
        services = new Services(front.get(), settings.services());
    }

    @Override
    public PreparedChange prepare(SettingsChange<OrganizerSettings> change) throws BindException {
        Services.Opened opened = get().open(change.next().services());
        return new PreparedChange() {
            @Override
            public void apply() {
                get().take(opened);
            }

            @Override
            public void discard() {
                opened.close();
            }
        };
    }

    @Override
    public void close() {
        get().close();
    }
}
