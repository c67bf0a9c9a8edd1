package dev.komainu.organizer;

import dev.komainu.intermediary.control.ControlAuthorization;
import dev.komainu.intermediary.lifecycle.Components;
import dev.komainu.intermediary.lifecycle.SettingsChange;
import dev.komainu.settings.SettingMistakesException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** The change of a running organizer to other settings. */
final class OrganizerReload implements OrganizerConfigurationReload.SettingsReceiver {

    private final MembershipComponent member;
    private final Components<OrganizerSettings> components;
    private final BooleanSupplier leaving;

    OrganizerReload(
            MembershipComponent member,
            Components<OrganizerSettings> components,
            BooleanSupplier leaving) {
        this.member = member;
        this.components = components;
        this.leaving = leaving;
    }

    /**
     * Checks the settings. The secret, the certificates and the grant stay those of the start:
     * their files are not read again and may be missing.
     */
    @Override
    public void check(OrganizerSettings next) throws SettingMistakesException {
        List<String> problems = new ArrayList<>();
        if (leaving.getAsBoolean()) {
            problems.add("reload: too late (expected: before the drain)");
        }
        String fault = member.get().fault(next.routes());
        if (fault != null) {
            problems.add("serve: " + fault);
        }
        try {
            if (next.control() != null) {
                ControlAuthorization.check(next.control());
            }
        } catch (IOException e) {
            problems.add(String.valueOf(e.getMessage()));
        }
        if (!problems.isEmpty()) {
            throw new SettingMistakesException(problems);
        }
    }

    @Override
    public void apply(SettingsChange<OrganizerSettings> change) throws IOException {
        components.apply(change);
    }
}
