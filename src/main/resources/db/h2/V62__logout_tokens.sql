-- Logout tokens of the OpenID provider that were carried out; none is accepted twice.
create table logout_token (
    id_hash char(64) primary key, -- SHA-256 of issuer and token id
    until   timestamp(6) with time zone not null -- from then on the token is refused for its age
);
