package dev.komainu.central.api.access;

/** Which Komainu this is, as its jar says. */
final class Version {

    static final String TEXT = read();

    private Version() {}

    private static String read() {
        String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }
}
