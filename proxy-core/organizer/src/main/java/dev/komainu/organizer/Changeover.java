package dev.komainu.organizer;

import dev.komainu.intermediary.control.ControlListener;
import dev.komainu.organizer.control.ControlEndpoint;
import dev.komainu.organizer.front.Front;
import dev.komainu.organizer.member.Membership;
import dev.komainu.organizer.service.Services;
import dev.komainu.settings.SettingMistakesException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** How a running organizer takes other settings. */
final class Changeover implements Reloading.Taker {

    private final Membership membership;
    private final Front front;
    private final Services services;
    private final @Nullable ControlEndpoint control;
    private final Consumer<List<OrganizerSettings.Serve>> serve;
    private final BooleanSupplier leaving;

    /** @param serve announces these from now on */
    Changeover(
            Membership membership,
            Front front,
            Services services,
            @Nullable ControlEndpoint control,
            Consumer<List<OrganizerSettings.Serve>> serve,
            BooleanSupplier leaving) {
        this.membership = membership;
        this.front = front;
        this.services = services;
        this.control = control;
        this.serve = serve;
        this.leaving = leaving;
    }

    /** The secret, certificates and grant are those of the start: their files are not read again, and may have gone. */
    @Override
    public void check(OrganizerSettings next) throws SettingMistakesException {
        List<String> problems = new ArrayList<>();
        if (leaving.getAsBoolean()) {
            problems.add("reload: too late (expected: before the drain)");
        }
        String fault = membership.fault(next.routes());
        if (fault != null) {
            problems.add("serve: " + fault);
        }
        try {
            if (next.control() != null) {
                ControlListener.check(next.control());
            }
        } catch (IOException e) {
            problems.add(String.valueOf(e.getMessage()));
        }
        if (!problems.isEmpty()) {
            throw new SettingMistakesException(problems);
        }
    }

    /** First what can fail, then what cannot. */
    @Override
    public void take(OrganizerSettings next) throws IOException {
        Runnable tokens = control == null || next.control() == null ? () -> {} : control.prepare(next.control());
        services.take(next.services());
        tokens.run();
        serve.accept(next.serve());
        front.ruleBy(next.times().idle(), next.times().head(), next.pages());
    }
}
