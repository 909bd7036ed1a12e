-- Amounts in minor units by currency; {} asks for nothing (governor.domain.care).
ALTER TABLE environments
    ADD COLUMN prove_above jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(prove_above) = 'object'),
    ADD COLUMN type_above jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(type_above) = 'object');
