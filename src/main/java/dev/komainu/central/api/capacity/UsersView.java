package dev.komainu.central.api.capacity;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.capacity.Knee;
import dev.komainu.central.capacity.UserEstimate;
import org.jspecify.annotations.Nullable;

/** {@code CapacityUsers} of the contract. */
@JsonInclude(JsonInclude.Include.ALWAYS)
record UsersView(
        String basis,
        double ratePerUser,
        int clients,
        double seconds,
        @Nullable Double low,
        @Nullable Double atKnee,
        @Nullable Double high) {

    static @Nullable UsersView of(@Nullable UserEstimate users, @Nullable Knee knee) {
        if (users == null) {
            return null;
        }
        Double high = knee == null ? null : knee.high();
        return new UsersView(
                users.basis(),
                users.ratePerUser(),
                users.clients(),
                users.seconds(),
                knee == null ? null : users.at(knee.low()),
                knee == null ? null : users.at(knee.rate()),
                high == null ? null : users.at(high));
    }
}
