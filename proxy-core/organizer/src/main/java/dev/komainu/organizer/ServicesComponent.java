package dev.komainu.organizer;

import dev.komainu.intermediary.lifecycle.Component;
import dev.komainu.intermediary.lifecycle.PreparedChange;
import dev.komainu.intermediary.lifecycle.SettingsChange;
import dev.komainu.organizer.service.ServiceEntries;
import java.net.BindException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The entries for clients of other protocols. */
final class ServicesComponent implements Component<OrganizerSettings> {

    private final OrganizerSettings settings;
    private final FrontComponent front;
    private @Nullable ServiceEntries services;

    ServicesComponent(OrganizerSettings settings, FrontComponent front) {
        this.settings = settings;
        this.front = front;
    }

    ServiceEntries get() {
        return Objects.requireNonNull(services);
    }

    @Override
    public void open() throws BindException {
        services = new ServiceEntries(front.get(), settings.services());
    }

    @Override
    public PreparedChange prepare(SettingsChange<OrganizerSettings> change) throws BindException {
        ServiceEntries.PreparedEntries prepared = get().open(change.next().services());
        return new PreparedChange() {
            @Override
            public void apply() {
                get().apply(prepared);
            }

            @Override
            public void discard() {
                prepared.close();
            }
        };
    }

    @Override
    public void close() {
        get().close();
    }
}
