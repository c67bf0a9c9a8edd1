-- Users of an OpenID provider: issuer and subject name them there. The provider checks their password; they have none here.
-- Their names may be mail addresses.
alter table users alter column name set data type varchar(64);
alter table sessions alter column user_name set data type varchar(64);
alter table users add column external_issuer varchar(500);
alter table users add column external_subject varchar(255);
alter table users alter column password_hash drop not null;
alter table users add constraint users_password_or_provider
    check ((external_issuer is null) = (password_hash is not null));
alter table users add constraint users_provider_subject
    check ((external_issuer is null) = (external_subject is null));
alter table users add constraint users_one_identity unique (external_issuer, external_subject);

-- The user's session at the provider, whose end ends this one.
alter table sessions add column provider_session varchar(255);
