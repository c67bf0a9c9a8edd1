package dev.komainu.telemetry.kit;

/**
 * The choice between the usual tests and the long ones, {@code ./komainu test --nightly}. A test
 * with this tag runs only there; another one can take more cases there.
 */
public final class Nightly {

    /** The name in {@code @Tag}. */
    public static final String TAG = "nightly";

    private Nightly() {}

    /** Reports whether the long tests run. */
    public static boolean isOn() {
        return Boolean.getBoolean("test.nightly");
    }
}
